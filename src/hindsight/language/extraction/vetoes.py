"""What no judge need weigh: sentences that are about the talk or the moment, however they are worded.

Real talk is full of them and labelled conversations hold few, so a judge trained on those lets them
through. Each veto names a way of speaking, never a topic, and steps back where the same sentence says
something lasting: a health matter, a change of life, a rule, a habit, a request to remember.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.extraction.cues import CUES
from hindsight.language.extraction.tagging import tagged
from hindsight.language.script import language_of

_LASTING: Final = tuple(CUES[name] for name in ("from_now_on", "keep_this", "for_long"))
_CONDITION: Final = re.compile(
    r"医生|复诊|确诊|过敏|旧伤|手术|劳损|血压|血糖|血脂|糖尿|哮喘|怀孕|素食|清真|忌口|吃药|服药|不耐|"
    r"\b(?:allerg\w+|coeliac|celiac|diabet\w+|asthma\w*|gluten|lactose|vegan|vegetarian|surgery|arthritis|migraines?|"
    r"pregnant|blood pressure|medication|doctor|diagnos\w+|intoleran\w+)\b",
    re.IGNORECASE,
)
_HABIT: Final = re.compile(
    r"\b(?:usually|normally|always|never|every (?:day|week|month|morning|evening|night|year|\w+day)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|twice a|once a|times a (?:day|week|month)|allergic|"
    r"my name|call me)\b|"
    r"平时|一直(?:都|用|在|是|做|住|吃|喝)|经常|习惯|每[天周日月年晚早次个]|从来|从不|固定|一律|必须|不能|"
    r"不许|过敏|我叫|叫我",
    re.IGNORECASE,
)
# What changes a life is told as an event of the day and holds from then on.
_LIFE_CHANGE: Final = re.compile(
    r"\b(?:moved (?:to|into|in|house|from)|new (?:job|flat|house|home|role|dog|cat|car|name|baby)|"
    r"started (?:at|as|working|"
    r"learning|studying|a|taking|my)|quit|resigned|retired|graduated|married|engaged|divorced|pregnant|"
    r"born|diagnosed|"
    r"promoted|hired|adopted|bought|switched|joined|signed|passed|inherited|enrolled|became)\b|"
    r"搬[到去进家]|入职|离职|辞职|跳槽|换了?(?:工作|岗|手机|车|房)|升职|升任|毕业|结婚|领证|离婚|怀孕|出生|生了|确诊|"
    r"买了|租了|养了|报了名?|考[上过]|拿到.{0,12}(?:证|offer|录取|资格)|开了|退休|转正|改用|换成|决定|定了|加入|签了",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(
    r"^.{0,12}\b(?:today|tonight|this (?:morning|afternoon|evening)|yesterday|earlier|just now|right now)\b|"
    r"\b(?:today|tonight|this (?:morning|afternoon|evening)|yesterday)[.!]?$",
    re.IGNORECASE,
)
_TODAY_ZH: Final = re.compile(
    r"^.{0,8}(?:今[天晚早儿]|昨[天晚]|刚刚?(?![好开])|刚才|明[天早晚])(?!以后|固定|都)|"
    r"^(?:我|我们|咱们?)?(?:上午|下午|中午|傍晚|晚上|早上|这两天|这几天)(?!都|以后|固定|要|只|不)"
)
_SAYS_TODAY_ZH: Final = re.compile(r"今[天晚早儿]|昨[天晚]|刚才|明[天早晚]")
_NARRATES: Final = re.compile(
    r"突然|忽然|猛地|猛然|顿时|不由得|只见|直勾勾|跌跌撞撞|转身|愣住|瞪着|喃喃|冷冷|缓缓|一把(?:抓|推|拉)|"
    r"(?:他|她|它)(?:说|喊|问|笑|走|看)道|\b(?:suddenly|all of a sudden|whispered|muttered|stared at|gasped|sighed|"
    r"stumbled|turned around|his eyes|her eyes)\b",
    re.IGNORECASE,
)
_PRAISED_ZH: Final = (
    r"(?:详细|实在|实用|具体|到位|专业|全面|透彻|清楚|清晰|及时|贴心|管用|周到|有启发|受启发|有帮助|在理|"
    r"对路|靠谱|合理|"
    r"可行|实际|全|形象|有道理|有用|有意思|有说服力|接地气|关键|好用|稳妥|中肯|扎实|明白|不错|好(?![多久几]))"
)
_TALKED_OF_ZH: Final = (
    r"(?:建议|分析|方法|办法|思路|点子|提醒|说法|总结|比喻|方案|解释|框架|清单|步骤|技巧|细节|例子|角度|"
    r"主意|想法|计划|"
    r"话术|模板|要点|原则|公式|[‘’“”]这[个点些两三])"
)
_REACTS: Final = re.compile(
    rf"(?:很|太|真|挺|非常|特别|相当|都|确实|也|更)(?:是)?{_PRAISED_ZH}|"
    rf"(?:这|那|你|您|助手)[^，。]{{0,14}}{_TALKED_OF_ZH}[^，。]{{0,10}}(?:很|太|真|挺|好|对|让我|给了|"
    rf"正是|确实|实用|帮|提醒|用得上|记下)|"
    rf"(?:让我|我)(?:一下子|瞬间|现在|心里)?(?:也|就)?(?:更|都)?(?:有底|踏实|安心|放心|有数|清楚|清晰|豁然|"
    rf"茅塞|明白|学到|受益|"
    rf"长知识|有信心|有方向|有谱|松了?口气)|(?:主意|点子|建议|思路|说得|讲得|方案|框架)(?:真|挺|很|"
    rf"听起来)?(?:不错|好|对|棒)|"
    rf"说到点子上|心里.{{0,2}}有谱|听起来(?:真|很|挺|还)?(?:不错|好|靠谱|可行)|^(?:完全|就|正)是这(?:样|"
    rf"个)|^有道理|^没错|"
    rf"^(?:就)?[按照][你您助](?:手)?(?:说|讲|建议)|[听经][你您]这么一|这么(?:实用|详细|专业|具体)|(?:学到|"
    rf"受教|涨知识|长见识|茅塞顿开|恍然大悟|醍醐灌顶|心里有底|心里踏实|说到.{{0,4}}心坎|"
    rf"点醒|提醒了我|符合我|(?:很|挺|太|特别|更)适合我|没想到.{{0,12}}(?:讲究|学问|门道))|(?:我|都|"
    rf"这[^，。]{{0,8}})(?:先)?(?:记下|记住|收藏|存下来?|学会|学)了|"
    rf"(?:我)?(?:之前|以前)?(?:真|确实|完全|还真)?(?:没概念|没想到|没意识到|没考虑到|忽略了)"
)
_REACTS_EN: Final = re.compile(
    r"^(?:(?:oh|wow|ah|yeah|yes|ok|okay|well|and|but|i think|i guess|i have to say),? )*(?:that(?:'s| is|"
    r" was| sounds)|"
    r"this is|those are|these are|it(?:'s| is)|sounds|your|you(?:'re| are))\b.{0,40}?\b(?:great|good|helpful|useful|"
    r"interesting|surprising|amazing|awesome|fascinating|perfect|wonderful|impressive|right|true|fair|"
    r"clear|nice|solid|"
    r"inspiring|ridiculous|powerful|crazy|sad|funny|cool)\b|^(?:and |but |yes,? |yeah,? )?i (?:totally |"
    r"completely |fully |didn't "
    r"(?:realize|know)|agree|see|understand|can't wait|found the|look forward|am looking forward)\b|^fingers crossed|"
    r"^it's (?:always|just|time|so)\b|"
    r"\bi(?:'m| am| was)? (?:really |so |very )?(?:glad|happy|surprised|impressed|appreciate|love|like|"
    r"agree|understand)\b"
    r".{0,30}\b(?:you|your|the idea|that idea|this idea|suggestions?|tips|advice|explanation|list)\b|"
    r"\b(?:you (?:suggested|mentioned|said|gave|listed|recommended|explained|provided|pointed)|"
    r"as you (?:said|were))\b",
    re.IGNORECASE,
)
_AGREES: Final = re.compile(
    rf"^(?:[你您]?说[得的](?:太|很|真)?(?:对|没错|有道理)|完全正确|清楚了|明白了|有道理|[听经][你您])|"
    rf"(?:这|那|你|您)[^，。]{{0,14}}{_TALKED_OF_ZH}[^，。]{{0,4}}(?:很|太|真|挺)(?:是)?{_PRAISED_ZH}"
)
_RHETORICAL: Final = re.compile(
    r"^(?:但|可|又)?总不能|^难道|^何必|^凭什么|\bi can'?t (?:just )?(?:always|keep)\b|"
    r"^who (?:would|wouldn'?t)\b",
    re.IGNORECASE,
)
_ASKS_AGAIN: Final = re.compile(
    r"^(?:所以|那|就|也|还|现在|但)?(?:我|我们)?(?:就|也|还|又|主要|特别|最近|现在|先|正)?(?:想(?:再|先|"
    r"提前|多)?(?:请教|问|了解|听听|"
    r"咨询|知道|看看|聊聊|确认|找点|找找)|在想|在考虑怎么|需要(?:一个|一份|一套|你|更|些|一些)|"
    r"希望(?:能)?(?:有|得到|听到|你)|"
    r"求)(?!.{0,30}(?:以后|每次))|(?:怎么|如何|什么|哪些|会不会|能不能|够不够|好不好|要不要|对不对)|"
    r"^.{0,24}\b(?:i'm|i am|i was|we're|we are)(?: \w+)? (?:wondering|curious|looking for|looking to|"
    r"interested in (?:learning|knowing|"
    r"exploring|seeing|hearing|any|the|your|some)|unclear|confused|not sure|struggling to (?:understand|find|see))\b|"
    r"^.{0,12}\b(?:i wonder|i(?:'d| would) (?:like|love|appreciate) (?:to (?:try|visit|know|hear|see|"
    r"learn|get)|some|any|a list|more)|"
    r"i want to (?:know|make sure|see|understand|learn more)|i need (?:some|help|advice|suggestions|ideas|"
    r"recommendations))\b|"
    r"^(?:just )?to (?:make sure|be clear|clarify)\b|^(?:now, )?let(?:'s| us)\b(?! (?:go|stick|use|keep|"
    r"make it|switch))|"
    r"\bi cannot find\b|\bcan'?t find\b",
    re.IGNORECASE,
)
_MEANS_TO: Final = re.compile(
    r"\bi(?:'ll| will)\b(?! (?:be \d|always|never|only|not|be (?:in|at|away|off|on|out)))|"
    r"\bi think i(?:'ll|'m going)\b|"
    r"\bi(?:'m| am) (?:actually |definitely |also |still )?(?:going to|gonna|thinking (?:of|about)|"
    r"leaning towards)\b|"
    r"我(?:先|再|这就|就|也|得|会|要|可以|打算|准备|今晚|明天|回头|下次|周末|一会儿?|待会儿?|晚上|"
    r"回去)?(?:再|就|先|去|来|也|得|要|把|按|"
    r"拿)*(?:试试|试一下|试着|试一试|翻翻|看看|琢磨|整理一下|记下来|准备一下|联系一下|补上|补一下|用上|"
    r"用得上|照着|按(?:你|这|照))|"
    r"^(?:回头|下次|明天|今晚|周末|待会|一会).{0,16}(?:试|看看|去|弄|做)",
    re.IGNORECASE,
)
_FEELS: Final = re.compile(
    r"成就感|心里(?:不|还|有点|挺|特别|总|暖|美|踏实|痛快|舒服|没底|发慌)|松了?(?:一)?口气|(?:有点|有些|"
    r"挺|特别|真|太|很|非常|蛮|好)"
    r"(?:开心|高兴|激动|兴奋|感动|感慨|欣慰|满足|自豪|骄傲|紧张|焦虑|担心|忐忑|纠结|慌|累|疲惫|难受|舒服|"
    r"爽|踏实|有意思|有默契|"
    r"有活力|起劲|放松|期待|迷茫|感触|值得|值)|感觉(?:特别|很|挺|真|自己|还|一下|整个|目标)|"
    r"\bi(?:'m| am| was| feel| felt)(?: \w+)? (?:glad|happy|sad|excited|nervous|worried|anxious|proud|"
    r"thrilled|guilty|hopeful|"
    r"relieved|overwhelmed|bummed|tired|exhausted|stressed)\b|\bi (?:hope|wish)\b|"
    r"\bi (?:still )?feel like\b|\bi'm hop(?:ing|eful)\b|\b(?:a (?:huge )?relief|a blast|lots of fun)\b|"
    r"\bi (?:still )?can'?t believe\b",
    re.IGNORECASE,
)
# What the thing asked for should be like: 最好自己平时也能练.
_WISHES_ZH: Final = re.compile(r"^(?:但|也|还|而且|所以|主要)?(?:是)?(?:最好|得|要|能|可以|应该|该|想要)(?!求|不要)")
# What a question leaves behind when it is taken out.
_DANGLES: Final = re.compile(
    r"(?:的?时候?|的情况|的话|方面|这块|这种|这些|比如|像|就想|在想|觉得|感觉|还有|以及|和|在.{1,12}上|"
    r"比如[^，。]{1,12})[，,。…\s]*$"
)
# Something about the user that outlasts the feeling it is told with.
_SAYS_OF_USER: Final = re.compile(
    r"我是(?!说|想|不是|觉得|怕)|我(?:们)?(?:家|店|公司|的(?:工作|目标|预算|计划|店))|我做|我住|"
    r"我在.{1,10}(?:工作|上班)|多少?[年岁]|"
    r"\bi(?:'m| am) an?\b|\bi (?:work|live|have|own|study|teach|run)\b|\bmy (?:\w+ )?(?:wife|husband|"
    r"partner|kids?|son|"
    r"daughter|cat|dog|job|team|company)\b|\d",
    re.IGNORECASE,
)


def veto_of(text: str, context: dict[str, float]) -> str | None:
    """Why *text*, the user's words without their noise clauses, is not worth judging; None when it may be.

    What answers a short question is judged all the same: its worth lies in the question.
    """
    if _RHETORICAL.search(text):
        return "question"
    stays = any(pattern.search(text) for pattern in _LASTING) or bool(_CONDITION.search(text))
    if stays or (_HABIT.search(text) and not _AGREES.search(text)):
        return "narrative" if _NARRATES.search(text) and "我" not in text else None
    long_talk = context.get("assistant:long", 0.0) > 0
    of_today = _TODAY_ZH.search(text) or _TODAY.search(text) or (long_talk and _SAYS_TODAY_ZH.search(text))
    if _NARRATES.search(text):
        return "narrative"
    if _AGREES.search(text) and not _SAYS_OF_USER.search(text):
        return "reaction"
    if context.get("answers") and not long_talk:
        return None
    if (_REACTS.search(text) or _REACTS_EN.search(text)) and (long_talk or not _SAYS_OF_USER.search(text)):
        return "reaction"
    if not long_talk and not context.get("session:long"):
        # Where replies are short, so is what people say, and the judge knows such talk.
        return None
    if of_today and not _LIFE_CHANGE.search(text):
        return "momentary"
    if _ASKS_AGAIN.search(text) and not CUES["like"].search(text) and not CUES["must"].search(text):
        return "request"
    if (
        _MEANS_TO.search(text)
        and not CUES["to_assistant"].search(text)
        and not _LIFE_CHANGE.search(text)
        and not CUES["decision"].search(text)
    ):
        return "intention"
    if _FEELS.search(text) and not _SAYS_OF_USER.search(text):
        return "feeling"
    if long_talk and _WISHES_ZH.search(text):
        return "request"
    loose = context.get("pruned", 0.0) > 0 and bool(_DANGLES.search(text))
    return "fragment" if loose or (long_talk and _is_fragment(text)) else None


def _is_fragment(text: str) -> bool:
    """Whether a Chinese piece says nothing of anything: names without a verb, a quality or a number."""
    if language_of(text) != "zh":
        return False
    return not any(tag[:1] in {"v", "a", "m", "z", "i", "l"} and len(word) > 0 for word, tag in tagged(text))
