"""The Chinese wording of requests to forget, clause by clause.

忘了 is far more often an event (我忘了带伞) than an order, and 别记 needs no object where 这个 precedes it;
so the subject in front and the words behind the verb decide together.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.forgetting_english import ForgetTarget

_ZH_LEAD: Final = (
    r"(?:\A|[:：\s])(?:请|麻烦|拜托|那|那就|你|您|就|都|先|嗯|哦|唉|诶|对了|算了|还是|帮我|给我|"
    r"可以|可不可以|能不能|能|能否|赶紧|赶快|直接|干脆|另外|所以|你就|你先|希望你|我希望你|"
    r"我想让你|我要你|最好|全部?|也|以后|\s){0,6}"
)
_ZH_FORGET: Final = re.compile(
    _ZH_LEAD + r"(?:忘(?:掉|记|了|却)|删(?:掉|除|了)|抹(?:掉|去|除)|清(?:掉|除|空)|擦(?:掉|除)|去掉|"
    r"移除)(?P<object>[^\n]{0,80})"
)
_ZH_TAKE: Final = re.compile(
    r"(?:把|将)(?P<object>[^\n]{1,60}?)(?:从[^\n]{0,12}(?:记忆|记录|脑子)[^\n]{0,4})?(?:都|全|"
    r"全部|给我|给|也)?(?:忘(?:掉|了|记)|删(?:掉|除|了)?|抹(?:掉|去|除)|清(?:掉|除|空)|擦(?:掉|"
    r"除)|去掉|移除)"
)
_ZH_OBJECT_FORGET: Final = re.compile(
    r"\A(?P<object>[^\n]{0,40}?)(?:你|您)?(?:就|还是|都|快|也)?(?:忘掉|忘(?:了|掉|记)(?:它|他|她|"
    r"这事)?(?P<softly>吧|好了|就行|就好|算了))\s*\Z"
)
_ZH_DONT: Final = re.compile(
    r"\A(?P<before>[^\n]{0,40}?)(?:你|您|请|就|先|可|也|都|还是|千万|最好)*(?:别|不要|不用|甭|"
    r"不必|不许|勿|不需要|用不着|没必要|不想让你|不希望你|能不能别|可以别|可以不)(?:再|帮我|给我|"
    r"往|替我)*(?:把(?P<taken>[^\n]{1,16}?))?"
    r"(?:记忆|记录|记住|记下来?|记着|记得|记进|记到|记|存下来?|存进|存到|存档|存|保存|保留|留存|"
    r"留底|写进|写入|放进|收进|录入)(?P<object>[^\n]{0,40})\Z"
)
_ZH_MEMORY: Final = re.compile(r"记忆|记住的|记的|你记|记录里|脑子里|memory|档案")
_ZH_MEMORY_TAIL: Final = re.compile(r"的?(?:记忆|记录)\Z")
_ZH_ALL_MEMORY: Final = re.compile(r"(?:你|您)?(?:对|关于|有关)我(?:的)?(?:所有|全部|一切)?\Z")
_ZH_SAID: Final = re.compile(
    r"(?:我|咱|我们)?(?:刚才|刚刚|方才|刚|之前|前面|上面|上次|先前)?(?:跟你|和你|给你|对你)?(?:说|"
    r"提|讲|聊|透露|告诉你|发)(?:过|到|起)?的|(?:我)?(?:刚才|刚刚|方才|上面|前面)(?:那|这|的|说|"
    r"提|讲|聊|发|几)|(?:上|前)(?:一)?(?:句|条|段)|(?:那|这)(?:句|条|番|段)(?:话)?|最后(?:那|"
    r"一)?[句条]"
)
_ZH_EVERYTHING: Final = re.compile(
    r"(?:所有|全部|一切|整个|整段|全)(?:的)?(?:对话|聊天|会话|内容|记录|话|谈话|聊的|说的|东西)?|"
    r"(?:今天|这次|刚才|我们|咱们)(?:所有|全部)?(?:的)?(?:对话|会话|聊天|谈话|聊的)(?:内容|记录|"
    r"一切|都)?|(?:这|本)(?:次|个|段)(?:对话|会话|聊天)"
)
_ZH_THIS: Final = re.compile(
    r"(?:以上|上面|上述|前面|刚才)(?:的|这些|那些|几句|说的|所说)*(?:内容|话|信息|部分)?|(?:这|那|它|此)(?:个|事|件事|句|条|些|点|段|一?句|一?条|部分|番话|句话|些话|事情|话|一点|"
    r"一段|件|里|儿)*(?:儿|的话|事儿?|内容)?"
)
_ZH_TOPIC: Final = re.compile(
    r"(?:关于|有关|跟|和)(?P<about>[^\n]{1,24}?)(?:有关|相关)?(?:的)?(?:事情?|事儿|信息|内容|话|"
    r"部分|一切|所有|那些|那段|东西|任何)*\Z|(?:说|提|讲|聊)(?:过|到|"
    r"起)?的(?:关于)?(?P<said>[^\n]{2,24})\Z|(?P<mine>(?:我|我家|我们|"
    r"咱)[^\n]{1,24}?)(?:的)?(?:这|那)?(?:件|个)?(?:事情?|事儿|信息|那句|那条|这句|这条)?\Z|"
    r"(?P<matter>[^\n]{1,20}?)(?:的|这|那)(?:件|个)?(?:事情?|事儿|信息)\Z"
)
# One character that names nothing by itself; any other one is a topic (猫, 狗).
_ZH_NO_TOPIC: Final = frozenset("我你您他她它咱这那此其事话句条点段些个件说讲提聊的了都全刚先再又也还就上下前后里")
_ZH_FILLER: Final = re.compile(
    r"\A(?:嗯+|哦+|唉|诶|对了|另外|还有|算了|就是|反正|其实|所以|但是?|不过|请|麻烦|拜托|你|您|了|"
    r"掉|的)+|(?:吧|了|啊|呀|哈|哦|嘛|呢|好吗|行吗|可以吗|好不好|行不行|谢谢|好了|就好|就行|吗|么|"
    r"都|也|全|先|你|您|就|还是)+\Z"
)
_ZH_NOT_FORGET: Final = re.compile(
    r"(?:别|不要|不能|不会|没|没有|不|差点|差点儿|总|老|常|怕|容易|易|难|会|我|他|她|它|们|人|"
    r"已经|又|都快|快|刚才|刚|竟然|居然|是不是|有没有)(?:全|都|又|也)?\Z"
)
_ZH_STATEMENT: Final = re.compile(
    r"什么|哪|多少|谁|怎么|几点|几号|没有(?:吗)?\Z|了没|(?:跟你说|跟您说|和你说|告诉你|告诉您|提醒)(?!过?的)|带|关(?!于)|拿|买|交|锁|写(?!进)|加上"
)
_ZH_ELSEWHERE: Final = re.compile(r"(?:去|入|进|到)?(?:报告|文档|合同|邮件|正文|总结|代码|表格|周报|简历|标题)")
_ZH_DONT_NOT: Final = re.compile(
    r"\A(?:错|混|反|仇|岔|漏|账|恨|挂|名|日志|log|文件|草稿|到本地|到文件|密码本|数据库|图片|"
    r"缓存)"
)
_ZH_OPTION: Final = re.compile(
    r"(?:方案|选项|建议|思路|版本|写法|办法|做法|代码|段落|标题|图|文件|行|列|函数|注释|依赖|包|"
    r"分支|草稿)"
)
_ZH_VERB: Final = (
    r"(?:忘(?:掉|了|记|却|光)?|删(?:掉|除|了|光|去)?|抹(?:掉|去|除)|清(?:掉|除|空|理掉)|擦(?:掉|除)|去掉|移除)"
)
_ZH_ALL: Final = r"(?:所有|全部|一切|任何|凡是|但凡|那些|这些|的)*"
_ZH_ON: Final = (
    r"(?:(?:和|跟|与|同)(?P<{0}1>[^\n]{{1,20}}?)(?:有关|相关|有关系|沾边)|(?:关于|有关|涉及到?|牵涉到?)(?P<{0}2>[^\n]{{1,20}}?)|"
    r"(?:我|我们|咱们?)?(?:曾经?|之前|以前)?(?:提|说|聊|讲|谈)(?:到|过|起)+的?(?:所有|全部)?(?:关于|有关)?(?P<{0}3>[^\n]{{1,20}}?)|"
    r"(?:我|我们|咱们?)(?:之前|以前)?(?:说|聊|讲|谈)(?:过)?的(?:关于|有关)(?P<{0}4>[^\n]{{1,20}}?))"
)
_ZH_WORDS: Final = r"(?:的)?(?:所有|全部|一切|任何|那些|这些)*(?:话|内容|事情?|信息|东西|记录|记忆|对话|部分|地方)*"
_ZH_FORGET_ON: Final = re.compile(
    _ZH_LEAD + rf"(?P<verb>{_ZH_VERB}){_ZH_ALL}{_ZH_ON.format('a')}{_ZH_WORDS}(?:吧|了|谢谢|好吗)?\Z"
)
_ZH_ON_FORGET: Final = re.compile(
    rf"\A(?:请|麻烦|你|帮我|那)*(?:把|将)?{_ZH_ALL}{_ZH_ON.format('b')}{_ZH_WORDS}[，,\s]?"
    rf"(?:请|给我|从[^\n]{{0,10}}?(?:里|中)?)?(?:都|全|全都|全部|统统|一律)(?:从[^\n]{{0,10}}?里)?(?:给)?(?P<verb>{_ZH_VERB})(?:吧|了)?\Z"
)
_ZH_EVER_SAID: Final = (
    r"(?:我|我们|咱们?)?(?:以前|之前|从前|曾经|一直)?(?:跟你|和你|对你)?(?:说|讲|聊|提|告诉|发)(?:过|你|给你)*的"
)
_ZH_FORGET_ALL: Final = re.compile(
    rf"{_ZH_LEAD}{_ZH_VERB}(?:所有|全部|一切)?(?:{_ZH_EVER_SAID}(?:一切|所有|全部|任何)(?:的)?(?:话|东西|内容|事情?|信息)?|"
    r"(?:你)?(?:记住|知道|记得)的(?:关于|有关)我的(?:一切|所有|全部|东西)+)(?:吧|了)?\Z|"
    rf"\A(?:请|麻烦|你)*(?:把|将)?(?:{_ZH_EVER_SAID}(?:话|东西|内容|一切)?|你(?:记住|知道|记得)的(?:关于|有关)我的(?:一切|所有|东西|事)*)"
    rf"(?:都|全|全都|全部|统统)(?:给我|给)?{_ZH_VERB}(?:吧|了)?\Z"
)
_ZH_JUST_NOW: Final = re.compile(r"刚才|刚刚|方才|刚说|上一?句|那句")
_ZH_QUESTION: Final = re.compile(r"(?:你|您|它|AI|系统)(?:会|是|是不是|会不会|有没有|为什么|怎么|能否真的)")


def judge_chinese(clause: str) -> tuple[ForgetTarget, str | None] | None:
    """What *clause* asks to forget: the target and the topic, or None."""
    if _ZH_QUESTION.search(clause):
        return None
    if _ZH_FORGET_ALL.search(clause) and not _ZH_JUST_NOW.search(clause):
        # Everything ever said reaches past this session; the session is the widest that one turn may erase.
        return ("session", None)
    if (on := _on_a_topic(clause)) is not None:
        return ("topic", on)
    dont = _ZH_DONT.match(clause)
    if dont is not None:
        return _chinese_dont(dont)
    take = _ZH_TAKE.search(clause)
    if take is not None:
        words = take["object"]
        is_forget = "忘" in take.group()
        if is_forget or _ZH_MEMORY.search(clause) or (_ZH_SAID.search(words) and not _ZH_OPTION.search(words)):
            return _chinese_object(words)
        return None
    forget = _ZH_FORGET.search(clause)
    if forget is not None:
        words = forget["object"]
        verb = clause[forget.start() : forget.start("object")]
        if "忘" not in verb and not _ZH_MEMORY.search(words):
            return _chinese_object(words) if re.match(r"我?(?:刚才|刚刚)(?:说|讲|提)", words) else None
        if _ZH_STATEMENT.search(words) or _ZH_OPTION.search(words):
            return None
        if _ZH_MEMORY.search(words):
            return _chinese_object(words)
        bare = _bare_chinese(words)
        if not bare:
            return ("last", None) if re.search(r"[吧它]|好了", words) or "掉" in verb else None
        if _ZH_SAID.search(bare) or _ZH_THIS.match(bare) or _ZH_EVERYTHING.match(bare) or _ZH_TOPIC.match(bare):
            return _chinese_object(words)
        return None
    alone = _ZH_OBJECT_FORGET.match(clause)
    if alone is None or _ZH_NOT_FORGET.search(alone["object"]):
        return None
    bare = _bare_chinese(alone["object"])
    pointed = _ZH_THIS.match(bare) or _ZH_SAID.search(bare) or _ZH_EVERYTHING.match(bare)
    return _chinese_object(alone["object"]) if alone["softly"] or pointed else None


def _on_a_topic(clause: str) -> str | None:
    """The topic of "forget all that has to do with X", or None."""
    found = _ZH_FORGET_ON.search(clause) or _ZH_ON_FORGET.match(clause)
    if found is None or _ZH_JUST_NOW.search(clause):
        return None
    told = re.search(r"提|说|聊|讲|谈|记忆|记住|记录", clause)
    if "忘" not in found["verb"] and not told:
        # "Delete everything on flour" may be meant for a list; only what was said can be forgotten.
        return None
    topic = next(text for name, text in found.groupdict().items() if name != "verb" and text)
    topic = re.sub(
        r"\A(?:关于|有关|我们?的?(?=.)|那个|这个|的|过|到)+|的?(?:所有|全部|一切|那些|这些|话|内容|事情?|信息|的)+\Z",
        "",
        topic,
    )
    return topic if _is_nameable(topic) else None


def _chinese_dont(match: re.Match[str]) -> tuple[ForgetTarget, str | None] | None:
    after = match["object"]
    if _ZH_DONT_NOT.match(after) or _ZH_ELSEWHERE.match(after):
        return None
    taken = match["taken"]
    if (
        taken
        and not after.strip("去下来了啊吧")
        and (_ZH_THIS.match(taken) or _ZH_SAID.search(taken) or taken[0] == "我")
    ):
        return _chinese_object(taken)
    before, behind = (
        _bare_chinese(match["before"]),
        _bare_chinese(
            re.sub(r"\A(?:下来?|住|着|录|进去?|到|入|在)?(?:你的?)?(?:记忆|脑子|memory|档案)?(?:里|中)?", "", after)
        ),
    )
    if _ZH_MEMORY.search(after) or not behind or _ZH_SAID.search(behind) or _ZH_THIS.fullmatch(behind):
        if before and not _ZH_THIS.fullmatch(before) and len(before) >= 2:
            return _chinese_object(before)
        return _chinese_object(behind)
    if re.match(r"我|关于|有关|任何|他|她|这|那|所有|全部", behind):
        return _chinese_object(behind)
    return None


def _bare_chinese(words: str) -> str:
    words = words.strip(" 、:：?？\"'“”")
    for _ in range(4):
        shorter = _ZH_FILLER.sub("", words).strip()
        if shorter == words:
            break
        words = shorter
    return words


def _chinese_object(words: str) -> tuple[ForgetTarget, str | None]:
    words = _ZH_MEMORY_TAIL.sub("", words)
    if _ZH_ALL_MEMORY.match(words):
        return ("session", None)
    bare = _bare_chinese(words)
    if not bare or _ZH_THIS.fullmatch(bare):
        return ("last", None)
    if _ZH_EVERYTHING.match(bare) and not re.search("关于|有关", bare):
        return ("session", None)
    topic = _ZH_TOPIC.search(bare)
    if topic is not None:
        named = next((group for group in topic.groups() if group), "")
        named = re.sub(
            r"\A(?:任何|所有|一切|我(?:们)?的?(?:刚才|刚刚|之前|上次|前面|刚)?(?:跟你|和你)?(?:说|提|讲|"
            r"聊)?(?:过|到|起)?的?|那个|这个|那|这|关于|有关)+",
            "",
            named,
        ).strip()
        named = re.sub(r"的?(?:一切|所有|全部)\Z", "", named)
        named = re.sub(r"(?:那|这)?(?:句|条|段|件|个)?(?:话|事情?|事儿|内容|信息)?\Z", "", named)
        if _is_nameable(named):
            return ("topic", named)
    if _ZH_SAID.search(bare) or re.search(r"刚|上面|前面", words):
        return ("last", None)
    return ("topic", bare) if len(bare) >= 2 else ("last", None)


def _is_nameable(named: str) -> bool:
    if len(named) == 1:
        return re.fullmatch(r"[\u3400-\u9fff]", named) is not None and named not in _ZH_NO_TOPIC
    return bool(named) and not _ZH_THIS.fullmatch(named)
