"""What belongs to the talk and not to the fact: openers, greetings, praise, requests to remember.

They are taken off the two ends of a sentence only; inside it every word may matter.
"""

from __future__ import annotations

import re
from typing import Final

_EN_LEAD: Final = re.compile(
    r"^(?:(?:oh|ok(?:ay)?|so|and|also|but|well|btw|by the way|hey|hi|hiya|hello|yeah|yea|yes|yep|yup|"
    r"sure|right|no(?=[,.!…]| (?:i|we|it|the|my|our|people|that)\b)|nope|nah|god no|woah no|woah|"
    r"wait no|wait|ugh|haha|lol|actually|sorry|fyi|quick one|one more(?: thing)?|one more:|exactly|"
    r"nice|great|cool|lovely|ace|hmm?|um|er|oh and|plus|cause|because|cos|though|speaking of(?: [\w' -]{2,30}(?=,)|"
    r" which)?|that reminds me|anyway|honestly|to be honest|tbh|in fact|of course|that said|as you know|"
    r"thanks(?: (?:a lot|so much))?|thank you(?: so much)?|(?:that's|that is|those are|these are) (?:a )?(?:really )?"
    r"(?:great|good|helpful|useful|interesting|perfect)(?: \w+)?(?=[,.!])|just (?:so you know|to (?:note|say))|"
    r"for (?:the record|future reference|context)|first(?:ly)?(?=,)|finally(?=,)|last thing|i have to say|"
    r"(?:please )?(?:remember|note|keep in mind|bear in mind|don'?t forget)(?: that\b|[:,]| (?=i\b|we\b|"
    r"my\b|our\b)))(?![\w-])"
    r"[\s,.:;!…-]*)+",
    re.IGNORECASE,
)
_EN_TAIL: Final = re.compile(
    r"(?:[\s.!…,;:]+(?:lol|haha+|lmao|tho|though|btw|by the way|pls|please|x|thanks|thank you|actually|"
    r"(?:and )?(?:so )?(?:please )?(?:remember|keep|note|save|bear) (?:that|this|it)(?: in mind)?(?: please)?))*"
    r"(?:\s+[-–—]+)?[\s.!…,;:]*$",
    re.IGNORECASE,
)
_KEEP_ZH: Final = (
    r"(?:请|麻烦|你|您|帮我|给我|先)*(?:记(?:住|一下|下来?|着|好)|备注一下|留意一下)(?:一下)?(?:哈|啊|吧|了)?"
)
_LEAD_WORDS: Final = (
    r"嗯+|哦+|噢|啊|呃|诶|哎呀?|唉|好的?|行|对了?|是的|没错|另外|还有|顺便(?:说一下|说一句|提一下|一提)?|那个|"
    r"其实|不过|而且|然后|就是|话说|你好|您好|哈哈+|等等|等下|不对|对对对|确实|当然|总之|所以|但是?|可是|"
    r"说实话|说真的|老实说|坦白说|说到这个?|说起来|这样一来|首先|其次|最后|再说|问题是|主要是?|特别是|尤其是|"
    r"比如说?|就是这样|都有(?:一?点|吧)?|都聊聊吧|都行|谢谢你?|多谢|太好了|太棒了|不错|明白了?|清楚了|"
    r"懂了|完全正确|对极了|[你您]?说[得的](?:太|很|真)?(?:对|没错|有道理)|收到|有道理|原来如此|说白了|"
    r"(?:但|不过)?[你您]也?(?:知道|清楚|了解)的?|是这样的?|先说(?:下|一下|说)|跟你说(?:下|一下)?|告诉你"
)
_ZH_LEAD: Final = re.compile(
    rf"^(?:(?:{_LEAD_WORDS}|{_KEEP_ZH})(?=[，,。.、！!…~～：:\s])[，,。.、！!…~～：:\s]*"
    r"|(?:很|太|真|好|挺|非常)[\u3400-\u9fff]{1,4}了?[！!。]+"
    r"|(?:对了|另外(?!一)|而且|不过|那就?(?![些个种位天时里么边样次年款家条])|但是?(?!凡)|但(?=[我你您])|"
    r"确实|其实|尤其是|特别是|主要是|毕竟|比如说?|"
    r"(?:但|不过)?[你您]也?(?:知道|清楚)(?=我)|顺便说(?:一下|一句)?|"
    r"(?:请|帮我|你)?记(?:住|一下)(?![了来])|请问)(?=[\u3400-\u9fff]))+"
)
_ZH_TAIL: Final = re.compile(
    rf"(?:[，,。！!；;\s]+(?:这[个点条]?|这些)?(?:{_KEEP_ZH}|谢谢你?|多谢|辛苦了|对吧|是吧|你懂的)"
    r"|[，,。！!；;](?:所以|就|也|但)?我?(?:就|也|还|又)?(?:[你您]觉得|在想着?|想着|想问问[你您]?|想知道|"
    r"有点纠结|觉得|感觉)"
    r"|哈|啊|呀|哦|噢|嘛|呗|啦|咯|喔|～|~|哈{2,}|\[[^\]]{1,6}\]|[。.!！…，,；;：:\s])+$"
)
# An aside to the listener inside a sentence, and a judgement of the importance of what was just said.
_ZH_ASIDE: Final = re.compile(
    r"(?<!^)[你您]也?知道的?[，,]|[，,](?:这个?|那个?)我?(?:也)?觉得[^，,。]{2,8}的(?=[。！!]?$)"
)
_UNCLOSED: Final = re.compile(r"[（(][^）)]*$")


def bare_english(text: str) -> str:
    """*text* without what only opens or closes it."""
    shorter = _EN_LEAD.sub("", text)
    shorter = _EN_TAIL.sub("", shorter)
    return _UNCLOSED.sub("", shorter).strip()


def bare_chinese(text: str) -> str:
    """*text* without what only opens or closes it."""
    shorter = _ZH_TAIL.sub("", _ZH_LEAD.sub("", _ZH_ASIDE.sub("", text)))
    return _ZH_TAIL.sub("", _UNCLOSED.sub("", shorter)).strip()
