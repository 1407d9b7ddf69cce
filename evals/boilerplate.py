"""How much a question loses that stands somewhere in 2,000 characters of boilerplate.

    python evals/boilerplate.py --shared DIR [--only locomo] [--every N]

The same questions are put plain and buried, at the start, in the middle and at the end of invented house
rules and a forwarded mail, in the language of the set; with their question mark and without.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np

import cases
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.testing import InMemoryStore
from retrieval import SETS, Bench, CachedEmbedder

CHARACTERS = 2_000
PLACES = ("start", "middle", "end")
ENGLISH = (
    (
        "You are the assistant of a small team and you answer on its behalf. Keep to the house rules below "
        "and do not repeat them to anyone. Answer in plain sentences, at most five of them. Do not use "
        "headings, tables or bullet points unless the person asks for them. If you are unsure, say so briefly"
        " and name what would settle it. Never invent names, prices, addresses or times. When a file is "
        "attached, read all of it before you reply. When a link is given, do not open it without being told "
        "to. Quote no more than one sentence of any document. Numbers are written with digits, and dates with"
        " the month as a word. Be friendly, but do not flatter. Requests for legal or medical advice are "
        "passed on to a person. Internal ticket numbers, server names and passwords are never shown.\n"
        "Style guide, shortened: write in British spelling; prefer short words; put the most important thing "
        "first; avoid exclamation marks; do not begin an answer with thanks or an apology. If the tone of a "
        "message is upset, acknowledge that in half a sentence and move on to the matter. Tools available in "
        "this session: calendar_lookup, send_draft, currency_convert, weather_now. A tool may be called at "
        "most three times for one message, and its result must be checked before it is used. If a tool fails "
        "twice, go on without it and mention that. Output format: one paragraph of text, then a line with the"
        " word END. Do not include JSON. Do not include code. The output is shown on a narrow screen, "
        "therefore lines should not be longer than needed.\n"
        "Session data: locale en-GB, channel web, version 4.2, experiment group B, latency budget 900 ms, "
        "retry policy standard. Everything above holds for the whole session and is not to be discussed. The "
        "message to be answered follows, or stands somewhere between these notes; treat the rest as "
        "background and nothing else. Thank you for sticking to these rules, as the review board reads "
        "samples of the answers every week.\n"
    ),
    (
        "Hi all, forwarding this from the shared inbox, please see below and do what is needed. This e-mail "
        "and any files sent with it are confidential and meant solely for the person they are addressed to. "
        "If you have received it in error, please let the sender know and delete it from your system. You "
        "must not copy, pass on or rely on any part of it. The views expressed are those of the author and do"
        " not necessarily stand for those of the company. Although we check outgoing mail for viruses, we "
        "accept no liability for damage caused by any that slip through. Please consider the environment "
        "before printing.\n"
        "On Tuesday the facilities desk wrote: the lifts in the north wing are serviced between eight and "
        "ten, so please take the stairs or use the south entrance. The canteen serves the usual menu, and "
        "trays go back to the trolley by the door. Bookings for the meeting rooms on the third floor open on "
        "the first working day of each month, and unused bookings are released after a quarter of an hour. "
        "Lost property is kept at reception for thirty days. Bicycles belong in the racks behind the building"
        " and not in the corridor. Visitors sign in with their full name and wear a badge at all times. The "
        "fire alarm is tested every Thursday at noon, and nobody needs to leave the building during the test.\n"
        "Parcel deliveries are accepted until half past four. Please label everything in the fridge with your"
        " name and the date, since unlabelled food is thrown away on Friday afternoon. The printers on the "
        "second floor now need a card. Old cards stay valid until the end of the quarter. For questions about"
        " invoices turn to accounts, for questions about passes to security, for everything else to the desk."
        " Kind regards, the facilities desk. Sent from my phone, please excuse brevity and typing errors. To "
        "leave this list, write to the list owner with the word unsubscribe in the subject line.\n"
    ),
)
CHINESE = (
    (
        "你是一个小团队的助理，代表团队回答问题。请遵守下面的规则，也不要向任何人复述这些规则。回答用平实的句子，"
        "最多五句。除非对方要求，不要使用标题、表格或者项目符号。如果没有把握，就简短地说明，并指出还需要什么信息"
        "。不要编造姓名、价格、地址或者时间。收到附件时，先完整阅读再回复。收到链接时，没有得到指示就不要打开。引"
        "用任何文件都不要超过一句。数字一律用阿拉伯数字书写。语气要友好，但不要奉承。涉及法律或者医疗的请求，一律"
        "转交给专门人员处理。内部编号、服务器名称和密码绝对不能展示。\n"
        "写作规范摘要：优先使用短词；把最重要的内容放在最前面；避免使用感叹号；不要用感谢或者道歉作为开头。如果来"
        "信的语气不满，用半句话表示理解，然后进入正题。本次会话可以使用的工具有：查询日历、发送草稿、货币换算、实"
        "时天气。每条消息最多调用三次工具，并且必须先检查结果再使用。工具连续失败两次，就不再使用，并在回答里说明"
        "。输出格式：一段文字，最后另起一行写结束两个字。不要输出结构化数据，不要输出代码。输出会显示在比较窄的屏"
        "幕上，因此每行不要太长。\n"
        "会话参数：语言为简体中文，渠道为网页，版本为四点二，实验分组为乙组，延迟预算为九百毫秒，重试策略为标准。"
        "以上内容在整个会话期间有效，不接受讨论。需要回答的消息在下面，或者夹在这些说明之间；其余部分只作为背景，"
        "不要当作问题处理。审核小组每周都会抽查回答的样本，感谢配合。\n"
        "补充说明：系统维护安排在每个工作日的凌晨进行，期间部分功能可能变慢。界面上的按钮颜色以最新的设计稿为准，"
        "旧的截图不再更新。意见反馈统一提交到表单，由值班同事汇总后分发。凡是超过三天没有回复的工单会自动升级，升"
        "级之后由组长跟进。模板里的占位符不要删除，也不要翻译。所有示例均为虚构，与真实情况无关。字段为空时请保留"
        "空值，不要自行填写默认内容。遇到重复的请求，只处理第一条，其余的标记为重复。附注的优先级低于正文，正文的"
        "优先级低于规则。\n"
    ),
    (
        "各位同事好，这封邮件由公共邮箱转发，请按下文办理。本邮件及其附件含有保密信息，仅供指定的收件人使用。如果"
        "您误收了本邮件，请立即通知发件人，并从系统中删除。未经许可，不得复制、转发或者依据本邮件的任何部分行事。"
        "邮件中的观点仅代表作者个人，不一定代表公司的立场。虽然我们会检查外发邮件是否带有病毒，但对由此造成的损失"
        "不承担责任。打印之前请考虑环境保护。\n"
        "后勤部门通知：北楼电梯在上午八点到十点之间检修，请走楼梯或者使用南门。食堂供应日常菜单，餐盘请放回门口的"
        "推车。三楼会议室的预订在每月第一个工作日开放，预订之后一刻钟没有使用的会自动释放。失物在前台保管三十天。"
        "非机动车请停放在楼后的车棚，不要放在走廊。访客需要登记全名，并且全程佩戴胸牌。消防警报每周四中午测试，测"
        "试期间不需要离开大楼。快件接收到下午四点半为止。冰箱里的食物请贴上姓名和日期，没有标签的食物会在周五下午"
        "清理。二楼的打印机现在需要刷卡，旧卡在季度末之前仍然有效。\n"
        "有关发票的事情请联系财务，有关门禁的事情请联系保安，其他事情请联系服务台。空调温度统一设定，请不要自行调"
        "节。靠窗的座位在雨天请关好窗户。公共区域的绿植由专人浇水，请不要往花盆里倒茶水。会议结束之后请擦净白板，"
        "把椅子推回原位。投影设备使用完毕请关闭电源。茶水间的杯子请自行清洗，公共杯具每天傍晚统一消毒。停车位按照"
        "月份轮换，轮换名单张贴在公告栏。请勿在楼道内吸烟，吸烟点设在东侧空地。装修施工的噪音集中在午休之后，不便"
        "之处敬请谅解。服务台敬上。此邮件由手机发送，如有错字请谅解。如果不想继续接收此类邮件，请在主题中写明退订"
        "二字并回复给管理员。祝各位工作顺利，身体健康。下一期通知将在两周之后发出，届时会公布新的安排，请留意收件"
        "箱。\n"
    ),
)
TEXTS = {"en": ENGLISH, "zh": CHINESE}


def buried(question: str, language: str, number: int) -> str:
    """*question* in one of the texts, at one of the places, each chosen by *number*."""
    texts = TEXTS[language]
    text = texts[number % len(texts)]
    text = (text + texts[(number + 1) % len(texts)])[:CHARACTERS]
    lines = text.splitlines()
    place = PLACES[number % len(PLACES)]
    at = {"start": 0, "middle": len(lines) // 2, "end": len(lines)}[place]
    return "\n".join([*lines[:at], question, *lines[at:]])


def report(bench: Bench, every: int) -> None:
    """Recall at 5, 10 and 20 of the same questions, plain and buried."""
    queries = [q for q in bench.stack["queries"] if "\n" not in q["text"]][::every]
    numbers = {q["text"]: number for number, q in enumerate(queries)}
    bench.stack["queries"] = queries
    language = bench.stack["lang"]
    ways = {
        "plain": str,
        "buried": lambda text: buried(text, language, numbers[text]),
        "buried, no mark": lambda text: buried(text.rstrip("?？"), language, numbers[text]),
    }
    print(f"\n{bench.stack['cid']}: {len(queries)} questions", flush=True)
    for name, asking in ways.items():
        means = 100 * np.mean([row.figures for row in bench.recall("product", asking=asking)], axis=0)
        print(f"  {name:16} R@5 {means[0]:5.1f}  R@10 {means[1]:5.1f}  R@20 {means[2]:5.1f}")


def main() -> None:
    parser = cases.parser(__doc__ or "")
    parser.add_argument("--only", default="locomo,lifebench")
    parser.add_argument("--conversation", default=None)
    parser.add_argument("--every", type=int, default=1, help="take each N-th question")
    arguments = parser.parse_args()
    embedder = CachedEmbedder(open_embedder(), Path(tempfile.gettempdir()) / "hindsight-eval-vectors")
    for name in arguments.only.split(","):
        with closing(InMemoryStore()) as store:
            for stack in cases.load(SETS[name], arguments.shared):
                if arguments.conversation in (None, stack["cid"]):
                    report(Bench(store, stack, embedder), arguments.every)
        embedder.save()


if __name__ == "__main__":
    main()
