"""The cues that speak for and against keeping a sentence, each under one name for both languages.

A cue is a general way of saying something, never a topic. None decides alone: the judge weighs them.
They share names across the languages, since weights learned on one served the other almost as well.
"""

from __future__ import annotations

import re
from typing import Final

_TOPICS: Final[dict[str, tuple[str, str]]] = {
    # What speaks for keeping: stable things about the user and the user's world.
    "like": (
        r"\b(?:love|like|adore|prefer|enjoy|favou?rite|fan of|fond of|keen on|partial to|mad about|big on|"
        r"into|rather|sooner|all about|swear by|go-to|works? (?:best|for me)|person|type|kinda (?:girl|guy))\b",
        r"喜欢|喜爱|偏好|更爱|最爱|爱吃|爱喝|爱看|爱用|爱听|偏爱|习惯|顺手|倾向|热衷|迷上|钟意|首选|"
        r"还是.{0,8}(?:好|舒服|顺|香)",
    ),
    "dislike": (
        r"\b(?:hate|dislike|can'?t stand|don'?t (?:like|do|eat|drink|use)|not a (?:big )?fan|never again|"
        r"won'?t (?:touch|eat|use|drink)|avoid|allergic|swore off|sick of|refuse|annoys? me|makes? my|bothers? me|"
        r"nothing (?:above|below|near|with|too)|can'?t eat|intolerant|fussy|picky|puts? me)\b",
        r"讨厌|不喜欢|不爱|不吃|不喝|不碰|不接|受不了|反感|嫌|怕|忌|过敏|避开|一概不|再也不|坚决不|最烦|戴着|踩过",
    ),
    "must": (
        r"\b(?:must|have to|has to|need(?:s)? to|required?|mandatory|no exceptions?|not allowed|forbidden|"
        r"banned?|strictly|"
        r"nobody|no one|in any case|by (?:law|contract)|rule|policy|convention|or (?:it|they) (?:gets?|"
        r"reject\w*|fails?)|mustn'?t|shouldn'?t)\b|^(?:never|don'?t|do not|no) \w",
        r"必须|务必|一律|一定要|不许|不准|不能|不得|禁止|严禁|不让|不允许|绝对|只能|规定|要求|都得|哪怕|"
        r"谁都|强制|规矩|规范|红线|写死|锁死|别(?!提|人|的|急|说)|不要",
    ),
    "always": (
        r"\b(?:always|never|every (?:time|single)|only|ever|all of|everything|anything|all|any|everywhere|"
        r"exclusively|standard)\b",
        r"只用|只要|只有|才能|统一|都要|都不|都是|全部|凡是?|从来|永远|固定|所有|全项目|一概|全都|都进",
    ),
    "limit": (
        r"\b(?:at most|at least|no more than|no less than|max(?:imum)?|min(?:imum)?|tops|ceiling|cap(?:s|ped)?|"
        r"limit|under|within|up to|over|below|budget|deadline|more than|go over|stuck (?:on|with)|until)\b",
        r"最多|最少|至少|不超过|以内|以下|以上|上限|下限|封顶|预算|最低|最高|低于|超过|不超|之内|之前|截止",
    ),
    "cannot": (
        r"\b(?:can'?t|cannot|couldn'?t|unable|not able|no longer|not any ?more|won'?t|doesn'?t (?:work|support|have)|"
        r"don'?t have|no access|without|not possible)\b|\bcant\b",
        r"不能|不了|没法|无法|不方便|做不了|装不了|用不了|不支持|不行|不会|没有|请不了|升不了",
    ),
    "identity": (
        r"\b(?:i'?m|i am|im) (?:an?|the|in|from|on|at|more of|based|originally|deaf|blind|vegan|"
        r"vegetarian|coeliac|celiac|"
        r"\w+(?:er|or|ist|ian|ant|yst|eer|ent))\b|\bmy name\b|\bcall me\b|\bi (?:work|live|study|teach|"
        r"taught|run|manage|lead|own|grew up|come from)\b|"
        r"\bborn\b|\bas an? \w+(?:er|or|ist|ian)\b",
        r"我(?:现在|目前|一直|已经|刚|从小)?(?:是|叫|姓|在|住|做|当|属|负责|管|本人|这个人|老家|今年|"
        r"自己)|我们(?:是|在|公司|组|团队|"
        r"部门)|归我|人在|来自|毕业|就读|读.{0,12}(?:master|硕|博|专业|大[一二三四])|入学|入职",
    ),
    "i_am": (
        r"\b(?:i'?m|i am|we'?re) (?!(?:\w+ing|not|just|sure|so|glad|sorry|happy|worried|curious|afraid|"
        r"open|too|really|very|going|here|back|done|ok|good|fine|ready|in the middle|about to)\b)\w+",
        r"我(?:就)?是(?!说|想|不是|在|问|觉得|怕)|我这人|我本人|我属于|我算",
    ),
    "i_present": (
        r"\bi (?:only |always |never |also |usually |mostly |often |still )?(?!(?:am|was|have|had|did|do|"
        r"don'?t|didn'?t|can|can'?t|could|will|would|"
        r"should|might|may|must|think|feel|felt|guess|hope|mean|want|need|know|knew|see|saw|wish|wonder|"
        r"believe|suppose|"
        r"agree|understand|appreciate|love|like|hate|went|got|said|told|just|really|tried|asked|forgot|thought|heard|"
        r"found|made|took|gave|came|saw|read|put)\b)[a-z]{2,}(?<!ed)\b",
        r"我(?:平时|一般|通常|一直|只|都|每[天周月次])?(?:写|画|教|开|做|用|养|种|跑|练|打|弹|拉|骑|卖|修|"
        r"带|管|拍|收|录|译|编|学)(?!完|过|好|到|得|个|一[下个])",
    ),
    "to_assistant": (
        r"\bso (?:please )?(?:keep|pitch|phrase|write|use|give|avoid|make|stick|answer|explain|suggest|don'?t)\b|"
        r"\b(?:drafts?|answers?|replies|mails?|letters?|advice|code|explanations?|"
        r"summaries) (?:that )?(?:you|u) (?:write|give|draft|send)\b|"
        r"\b(?:when|whenever|every time|if) (?:you|u) (?:write|draft|answer|explain|reply|give|suggest|"
        r"summari[sz]e|translate|list|cite)\b|"
        r"\bplease (?:always|never|don'?t ever|only)\b|\b(?:write|answer|reply|explain|draft|call|"
        r"address) (?:to )?me\b|\bfor me\b.{0,30}\b(?:never|always|form)\b",
        r"希望你|你(?:给我|跟我|回|写|讲|说|答).{0,8}(?:时|的时候|都|要)|给我.{1,12}(?:时|都|一律|先)|"
        r"回答(?:时|我|都|要|用)|答疑|(?:别|不要|请)?(?:叫|称呼)我",
    ),
    "from_now_on": (
        r"\b(?:from now on|going forward|from here on|in (?:the )?future|henceforth|for good|every time|"
        r"whenever|as a rule|until i say)\b",
        r"以后|今后|往后|从现在起|从今|一直(?:这么|这样|都)|都这样|每次都|凡是",
    ),
    "keep_this": (
        r"(?<!don't )(?<!not )\b(?:remember|note|keep|save|store) (?:that|this|it|these|those)\b|"
        r"\bget that straight\b|\b(?:please|so) keep (?:that|this|it)\b|\bbear in mind\b|\bmake a note\b",
        r"(?<!别)(?<!不要)(?<!不用)记(?:住|着|下|一下|好)|(?<!别)存(?:下来|一下|着)",
    ),
    "role": (
        r"\b(?:engineer|developer|manager|teacher|nurse|doctor|designer|student|lead|owner|founder|"
        r"analyst|accountant|"
        r"payroll|freelanc\w+|retired|job|works? (?:at|for|in|as)|team|company|shop|firm|business|"
        r"department|shift|nights?)\b",
        r"工程师|老师|医生|护士|设计师|学生|经理|老板|会计|律师|司机|店|公司|单位|团队|小组|部门|科室|"
        r"上班|职|岗|行业|负责",
    ),
    "stack": (
        r"\b(?:we|i|they|all|everything|it|our \w+|project|prod|ci|server|app|team)(?:'s|'re| is|"
        r" are)? ?(?:use|uses|using|run|runs|running|built|build|written|deploy\w*|host\w*|"
        r"standardi[sz]ed|on|edit|shoot|moved|switched|dropped|ripped|pinned?)\b|"
        r"\b(?:moved off|switched to|migrated|built with|runs? on|standardi[sz]ed on|stack)\b",
        r"我?们?(?:用的?是?|在用|使用|都是|跑的?是?|部署|技术栈|框架|全项目|换成了|早就不用|格式化|写.{1,8}的)",
    ),
    "decision": (
        r"\b(?:let'?s (?:go|use|do|stick|keep)|go(?:ing)? with|we'?ll|decided|settled|agreed|chose|picked|final|"
        r"sticking with|it is then|i'?ll take|for good|we (?:went|dropped|moved|switched))\b",
        r"定了|就.{0,12}(?:定|吧|了)|决定|敲定|选定|拍板|确定|改用|就用|就按|以.{0,6}为准|打算|计划",
    ),
    "relation": (
        r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|mum|mom|mother|dad|father|parents?|sister|brother|"
        r"son|daughter|kids?|child(?:ren)?|toddler|baby|twins?|grand\w+|nan|aunt|uncle|cousin|niece|nephew|lad|"
        r"in-law|family|cat|dog|rabbit|bunny|pet)s?\b",
        r"老婆|妻子|太太|媳妇|老公|丈夫|对象|女朋友|男朋友|女友|男友|爸|妈|父亲|母亲|爷爷|奶奶|外公|外婆|"
        r"姥|儿子|女儿|闺女|孩子|娃|宝宝|"
        r"老大|老二|哥|姐|弟|妹|表姐|表哥|婆婆|岳|舅|姑|叔|姨|猫|狗|宠物|家人|家里",
    ),
    "acquaintance": (
        r"\b(?:flatmate|roommate|boss|colleague|coworker|teammate|neighbou?r|friend|mate|manager|client|"
        r"customer|guest|buyer|student)s?\b",
        r"领导|老板|同事|朋友|室友|邻居|网友|群里|客户|买家|客人|学生|同学|甲方",
    ),
    "others": (
        r"\b(?:he|she|his|her|hers|him|they|their|them|mate|friend|colleague|coworker|neighbou?r)\b",
        r"[他她]|朋友|同事|邻居|同学",
    ),
    "as_subject": (r"\b(?:i|i'm|i've|i'd|im|ive|we|we're)\b", r"我(?!的?(?:朋友|同事|邻居|同学))"),
    "recurring": (
        r"\b(?:every|each|weekly|daily|monthly|yearly|mornings?|evenings?|weekdays?|weekends?|nightly|"
        r"a (?:day|week|month|year)|per (?:day|week|month)|"
        r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s)\b|\b(?:on|never|by|thurs?|"
        r"weds?) (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
        r"每[天周日月年晚早次个]|每隔|天天|平时|平常|工作日|周末|一周|一天|早晚|通勤|一三五|二四六|"
        r"周[一二三四五六日天](?:都|固定)?|星期[一二三四五六日天]",
    ),
    "date": (
        r"\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|"
        r"\b(?:jan(?:uary)?|feb(?:ruary)?|march|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
        r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|"
        r"\b(?:in|by|until|since|from|before) (?:19|20)\d\d\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|"
        r"\b\d{1,2}:\d\d\b|\bnext (?:week|month|year|spring|summer|autumn|fall|winter)\b|\bbirthday\b|"
        r"\bxmas\b",
        r"\d{1,2} ?月|\d{1,2} ?[号日]|[一二三四五六七八九十]+月|下个?月|明年|下半年|上半年|年底|月底|五一|"
        r"十一|国庆|春节|元旦|生日|[0-9一二三四五六七八九十]+点(?!了)",
    ),
    "skill": (
        r"\b(?:know how|fluent|beginner|experienced|experience with|grade \d|level|certified|good at|"
        r"bad at|learn(?:t|ed|ing)?|"
        r"studying|practi[sc]\w+|training|can (?:read|speak|write|code|play|cook|drive)|new to|background|"
        r"rusty|self-taught|never (?:used|done|learned))\b",
        r"会写|会说|会用|不会|擅长|熟悉|精通|学过|在学|学了|学的|水平|经验|基础|入门|新手|初学|零基础|"
        r"考过|考|一般般|能听|听没问题|强项|陌生|接触",
    ),
    "for_long": (
        r"\b(?:i|we)(?:'?ve| have) (?:been \w+ing|\w+ed|written|taught|driven|run|had|kept|grown|lived|"
        r"sung|ridden|made) .{0,60}\b(?:for|since)\b",
        r"(?:了|已经?)[0-9一二两三四五六七八九十几多]+ ?(?:年|个?月)(?:了|多)?",
    ),
    "years": (
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|"
        r"forty|fifty|a dozen|a few|several|many) (?:years?|yrs?|"
        r"months|weeks?)\b|\bsince\b|\bfor (?:years|ages|life)\b|\bage[d]?\b",
        r"[0-9一二两三四五六七八九十几]+ ?年|好几年|多年|[0-9一二三四五六七八九十]+ ?岁|年级|自从|一直",
    ),
    "health": (
        r"\b(?:allerg\w+|coeliac|celiac|diabet\w+|asthma\w*|gluten|lactose|vegan|vegetarian|halal|kosher|"
        r"achilles|injur\w+|surgery|"
        r"arthritis|migraine\w*|pregnant|blood pressure|medication|meds|tablets|clinic|deaf|dyslexi\w+|"
        r"adhd|autis\w+|disab\w+|insulin|inhaler|preventer|colou?r[- ]?blind)\b|"
        r"\b(?:my|the|left|right|bad|dodgy|sore|a) (?:left |right |bad |dodgy )?(?:knee|back|hip|shoulder|"
        r"wrist|ankle|neck|heart|eyes?|hearing)\b",
        r"过敏|不耐|糖尿|高血压|血压|哮喘|膝盖|腰|肩|旧伤|受伤|手术|怀孕|孕|近视|色盲|失眠|忌口|吃药|服药|"
        r"痛风|肾|心脏|素食|清真|伤",
    ),
    "possession": (
        r"\b(?:i'?ve|we'?ve|i|we|she|he|they)(?: have|'ve| has)? (?:got|have|own|had|bought|keep)\b|"
        r"\b(?:my|our) (?:\w+ ){0,3}(?:is|are|was|runs?|lives?|sits?|has|have)\b|\bmine\b|\bgot an? \w+",
        r"我?家?有[一个只辆台套张条两三把架对]|(?:养|买|租|开)了|我的|我家|我这|手上|手头|名下|自家|我们家|设备|机身",
    ),
    "goal": (
        r"\b(?:goal|aim(?:ing)?|target|want to (?:be|become|pass|save|learn|reach|finish|build)|saving|"
        r"working (?:on|towards)|plan(?:ning)? (?:to|a|on)|hoping to|trying to|by (?:the )?end of|"
        r"moving (?:to|from)|trip to|building|launch\w*|start(?:ing|ed))\b",
        r"目标|打算|计划|准备(?!好)|想(?:要|在|把|扩|开|学|考|买|换|转)|攒|存钱|争取|备考|要考|搬|筹备|"
        r"创业|在做|构思|正在",
    ),
    "standing": (
        r"\b(?:from now on|going forward|in (?:the )?future|whenever|every time|any ?time|by default|"
        r"as a rule|in general|generally|"
        r"normally|usually|unless|that goes for|each time|when(?:ever)? you|before (?:every|each|any)|"
        r"after (?:every|each|any)|for (?:all|every|anything))\b",
        r"以后|今后|往后|从现在起|每次|凡|默认|一般|通常|平时|只要|除非|原则上|所有|全都|每个|每当|一贯|向来",
    ),
    "remember": (
        r"\b(?:remember (?:that|this|to)?|note (?:that|to)|keep in mind|bear in mind|don'?t forget|"
        r"make a note|save (?:that|this)|for (?:the record|future reference)|fyi|btw|by the way|"
        r"just so you know|in case (?:it|you))\b",
        r"记住|记一下|记下|记得|别忘|请注意|你要知道|先说下|先说一下|备注|提醒你|对了|顺便|另外|说一下",
    ),
    "habit": (
        r"\b(?:usually|normally|tend to|used to|habit|routine|i (?:always|never|only|mostly|often|rarely|"
        r"sometimes)|we (?:always|never|only|mostly)|ever since|stick to)\b",
        r"习惯|一般都|通常|总是|从不|经常|常常|老是|每次都|平时|一直|坚持|雷打不动",
    ),
    "project": (
        r"\b(?:project|repo|repository|codebase|branch|deploy\w*|release|prod(?:uction)?|staging|pipeline|"
        r"merge|commit|service|cluster|database|db|schema|server|monorepo|module|folder|file|config\w*|"
        r"tests?|lint\w*|format\w*|client|customer|contract)\b",
        r"项目|仓库|分支|部署|发布|上线|生产|测试|环境|合并|提交|代码|数据库|接口|服务|模块|目录|配置|"
        r"流水线|版本|客户|甲方|合同",
    ),
    "ours": (r"\b(?:we|our|ours|us)\b", r"我们|咱们?|我家|我司|全组|组里|司里|团队|家里|站里|社"),
    "mine": (r"\b(?:i|i'm|i've|i'd|im|ive|my|me|mine)\b", r"我|本人|自己"),
    "reason": (
        r"\b(?:because|cos|coz|since|so that|as we|due to|otherwise|or (?:they|it|we))\b",
        r"因为|所以|不然|否则|毕竟|由于|怕|省得|以免",
    ),
    "exclusive": (r"\b(?:not|instead of|rather than|no)\b|\bdon'?t\b|\bnever\b", r"不用|别|不要|不是|而不是|没|勿"),
    "change": (
        r"\b(?:now|no longer|moved|switched|dropped|replaced|used to|went up|goes up|since (?:last|"
        r"january|february|march)|any more|anymore)\b",
        r"现在|改成|换成|已经|早就|不再|刚提|上个?月|去年|升到",
    ),
    "path": (
        r"(?:[\w.-]+/){1,}[\w.*-]+|`[^`]{2,60}`|\b\w+\.(?:py|js|ts|go|rs|md|txt|sh|yaml|yml|json|php|toml|"
        r"xml)\b",
        r"$^",
    ),
    # What speaks against.
    "question": (
        r"\?|^(?:what|how|why|who|which|where|when|is|are|do|does|did|can|could|should|would|will|any|has|"
        r"have)\b(?!.{0,12}\b(?:that|if)\b)",
        r"[？?]|吗|呢$|什么|怎么|咋|为啥|为什么|哪个|哪些|哪里|多少|几[个点天]|是不是|有没有|能不能|"
        r"要不要|行不行|靠谱不|啥",
    ),
    "request": (
        r"\b(?:please|pls|plz|can you|could you|can u|could u|would you|will you|help me|give me|gimme|"
        r"show me|tell me|write (?:me|a|an|it|up|the)|draft|"
        r"make (?:me|it|a|an|the|that)|build me|set (?:me|it|up)|need (?:a|an|some|another|help)|look up|"
        r"look at|summari[sz]e|translate|explain|recommend|suggest|"
        r"find (?:me|a)|list|generate|create|check|add|plan (?:me|a|dinners)|pick|proofread|rewrite|fix)\b",
        r"帮我?(?:我|看|查|写|想|忙|把|排|改|整|捋|取|做|生成|分析|对比|推荐)|请(?:你|帮)|(?<!别)给我|"
        r"(?<![要需])求你?|麻烦你?|推荐|介绍一下|写[一个篇份段]|翻[译成]|整理|看[看下]|查[查下一]|发我|"
        r"列[出个]|讲讲|说说|解释|总结|分析一下|安排个|来[个点]|出一版",
    ),
    "imperative_start": (
        r"^(?:add|make|change|swap|rename|remove|delete|put|cut|drop|move|send|ship|publish|keep|call|"
        r"skip|kill|do|run|use|try|write|draft|show|give|get|fix|check|shorten|set|go on|pick|start|stop|"
        r"continue|clean|summari[sz]e|translate|explain|tell|look|find|plan|build|help|merge)\b",
        r"^(?:把|改|加|删|换|去掉|写|发|给|帮|来|再|先|打住|放|用|标题|按钮|重新|继续|生成|合|补)",
    ),
    "hypothetical": (
        r"\b(?:if (?:i|we|you|they|it) (?:was|were|had|did|could|won|got)|suppose|supposing|"
        r"hypothetical\w*|theoretical\w*|what if|imagin\w+|say i|would i|just (?:curious|wondering)|"
        r"in theory|one day|daydream\w*|dream)\b",
        r"^(?:那)?(?:要是|如果|假如|假设|假使|万一|倘若)|假如|假设|要是我|如果我|瞎想|瞎聊|随便(?:问|想|"
        r"聊|说)|只是好奇|理论上|做梦|要真|就好了|就好咯",
    ),
    "mood": (
        r"\b(?:ugh+|argh+|tired|exhausted|annoyed|furious|stress\w*|sad|happy|excited|crying|cried|bored|"
        r"angry|fed up|rough|knackered|chuffed|worried|anxious|nervous|hungry|starving|sleepy|sorry|nuts|"
        r"crazy|overwhelmed|frustrat\w+|screaming|dying)\b",
        r"累了?|困|烦|气死|生气|难过|开心|高兴|郁闷|焦虑|崩溃|无聊|心累|头疼|麻了|救命|呜|唉|好饿|吓|恶心|"
        r"羡慕|委屈|激动|紧张|担心|没底|纠结|受够|肚子|感冒|不舒服|爽|离谱|傻",
    ),
    "today": (
        r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|time|one|"
        r"month)|right now|just now|last night|at the moment|later|for now|in a (?:minute|sec)|"
        r"gotta|gonna|monday's|tuesday's)\b",
        r"今天|今晚|今早|明天|明早|昨天|昨晚|刚才|刚刚|等下|等会|一会|这次|这回|这周|本周|待会|"
        r"下午要|马上|暂时|眼下|先这样|今儿|中午|回头|改天",
    ),
    "weather": (
        r"\b(?:weather|rain\w*|sunny|snow\w*|pouring|chilly|hot outside|cloudy)\b",
        r"天气|下雨|下雪|晴|好冷|好热|降温|刮风",
    ),
    "undecided": (
        r"\b(?:maybe|perhaps|might|not sure|dunno|don'?t know|no idea|no clue|undecided|think about it|"
        r"sleep on it|someday|some ?time|we'?ll see|later|who knows|possibly|probably|either|thinking of|"
        r"considering|torn|idk|could work|whatever)\b",
        r"再说|再想|考虑|不确定|可能|也许|或许|不知道|说不定|看情况|还没(?:定|想)|没想好|先不|改天|以后再|"
        r"比较比较|回头再|谁知道|都行|随便|无所谓|不一定|犹豫",
    ),
    "error": (
        r"\b(?:error|exception|fail(?:s|ed|ing|ure)?|crash\w*|broken|bug|traceback|stack ?trace|timeout|"
        r"warning|leak\w*|red|404|500|502|null|undefined|not found|stuck|doesn'?t work|(?:log|error|"
        r"message|readme|page|screen) (?:says?|said|shows?))\b",
        r"日志(?:里)?(?:说|写|显示)|报错|错误|异常|失败|崩|挂了|超时|不通|起不来|跑不起来|没反应|不对劲|"
        r"堆栈|日志|bug|坏了|抖动|卡住|红了",
    ),
    "closing": (
        r"\b(?:thanks?|thx|ty|cheers|ta|bye|good ?night|ttyl|that'?s (?:all|it)|all done|done|see you|"
        r"gotta run|good for now|ship it|perfect|great|lovely|sorted|smashing|merging|closing|pushing|"
        r"printing|sent|works|talk later)\b",
        r"谢|辛苦|拜拜|再见|晚安|就这样|先这样|先到这|到这|到此|没了|没有了|好的|好了|可以了|搞定|收到|"
        r"行了|走了|睡了|下班|交稿|懂了|打印去|发出去了|定了$|撤了|下次聊",
    ),
    "reaction": (
        r"^(?:ok(?:ay)?|k|yes|yep|yeah|yup|sure|right|exactly|great|nice|cool|good|perfect|lovely|awesome|"
        r"amazing|interesting|wow|haha+|lol|lmao|hah|ooh?|ohh+|ah|hm+|better|star|grand|ace|sweet|"
        r"brilliant|got ?it|gotcha|fine|sounds?|that(?:'s| is| was)? (?:a )?(?:great|good|nice|helpful|"
        r"useful|interesting|true|fair|it|better|funny|awesome|amazing)|these are|those are|makes sense|"
        r"i (?:see|agree|understand|appreciate|like (?:the|that|your|this)|love (?:the|that|your|this)))\b",
        r"^(?:嗯+|哦+|噢|好+的?|行|对+|是的|没错|明白|懂|可以|不错|哈+|哇|嘿|厉害|牛|确实|有道理|原来|"
        r"太好了|太棒|这个.{0,6}(?:好|不错|可以|棒|靠谱)|听(?:起来|着)|就是这个意思|收到|好嘞|得)",
    ),
    "praise": (
        r"\b(?:helpful|useful|great (?:tips|idea|suggestion|list|advice)|good (?:idea|point|call|advice)|"
        r"sounds? (?:great|good|like|right|nice|amazing)|love (?:the|that|this) (?:idea|suggestion)|"
        r"your (?:suggestions?|advice|tips|help|answer|idea)|appreciate|that helps|worked)\b",
        r"好主意|不错|有道理|靠谱|很实用|有用|很有帮助|你说得|你的建议|你提|建议很|方案很|思路|点子|清晰|"
        r"长见识|这样.{0,4}(?:好|行|可以|清楚)",
    ),
    "try": (
        r"\b(?:i'?ll (?:try|check|look|give|start|definitely|make sure|keep|have|see|pick|print|tell|do|"
        r"be|get|also)|i will|going to|gonna|i'?m going|let me|i'?d (?:like|love) to|i want to (?:try|"
        r"check|see|know|make)|i should|try(?:ing)? (?:it|that|this|them|out)|check (?:it|them) out|"
        r"planning to|looking forward|interested in)\b",
        r"我(?:先|再|这就|去|来)?试试|先试|试一下|我去|我先|我再|回去|我会|我就去|我先按|我来|打算试|"
        r"想试试|我拿去|我转告|这就去|就按这个(?:去|来)",
    ),
    "feeling": (
        r"\b(?:i (?:feel|felt|hope|think|guess|wish|wonder|believe|mean)|i'?m (?:glad|worried|excited|"
        r"curious|wondering|interested|looking|thinking|not sure|sure|hoping|open|really)|feels?|"
        r"feeling)\b",
        r"我觉得|感觉|我希望|希望|我想|我猜|我担心|心里|好像|似乎|应该(?:是|会)?|挺.{0,6}的|太.{0,6}了",
    ),
    "hearsay": (
        r"\b(?:says?|said|told me|heard|apparently|according to|they say|reckons?|claims?|thinks?|"
        r"reviews?|article|read (?:that|somewhere|about))\b",
        r"听说|据说|说是|他说|她说|他们说|网上|有人说|人家说|都说|新闻|文章|推荐追|朋友推荐|群里",
    ),
    "past_event": (
        r"\b(?:went|saw|met|bought|attended|visited|got back|came back|last (?:week|month|weekend|year|"
        r"night)|just (?:got|finished|bought|came|had|started)|the other day|recently)\b",
        r"上周|上次|前几天|前天|那天|去了|看了|见了|逛了|刚(?:买|到|去|回|看|从|拿)|最近|前阵子",
    ),
    "this_once": (
        r"\b(?:this (?:time|one|once|trip|letter|doc|document|page|week)|just (?:for|this)|for (?:this|"
        r"today|once)|one[- ]off|throwaway|temporary|the (?:first|second|2nd|1st|next) one|one liner|"
        r"slide|generic|typical)\b",
        r"这次|这回|这份|这句|这条|这篇|这段|这里|临时|一次性|通用|就这|只这|单这|这拨|这家|这户|这块先",
    ),
    "fiction": (
        r"\b(?:story|chapter|character|novel|pretend|role ?-?play|mock|interview|persona|fiction\w*|"
        r"made[- ]up|script|scene|narrator|dialogue|sample|example|exercise|course|homework|quiz)\b",
        r"小说|故事|角色|扮演|人设|编的|剧本|台词|虚构|模拟|面试|假装|剧情|例子|样例|练习|作文|题目|设定",
    ),
    "laugh": (
        r"\b(?:lol|lmao|haha+|hah|rofl|kidding|joke|joking|jk)\b|[😂🤣]",
        r"哈哈+|呵呵|嘿嘿|笑死|\[微笑\]|\[捂脸\]|开玩笑|[😂🤣😅]",
    ),
    "edit": (
        r"\b(?:shorter|longer|rename\w*|replace|swap|headline|title|font|bold|wording|tone|draft|"
        r"paragraph|sentence|line|bullet|version|slide|label|word it|reword|phrase|copy|text)\b",
        r"标题|字体|黑体|措辞|语气|润色|缩短|太长|有点长|短一?点|长一?点|正式点|口语|那句|那段|开头|结尾|"
        r"第[一二三四五六0-9]+[段句版种]|改为|删掉|划掉|已加|排版",
    ),
    "address": (r"\b(?:you|your|u|ur)\b", r"你|您"),
    "symptom": (
        r"\b(?:why (?:is|does|are|do)|it (?:flags|says|takes|keeps)|throwing|keeps|getting|"
        r"shows? the wrong|won'?t start|hum|squiggle|issue|problem|wrong)\b",
        r"老是|总是报|又.{0,4}(?:没|了)|出来的|投诉|跑完|怎么回事|有问题|起球|红灯",
    ),
    "third_party": (
        r"\b(?:he|she|his|her|hers|him|they|their|them|someone|somebody|people|customer|client|guest|"
        r"student)\b",
        r"他|她|它|人家|对方|客户|别人|大家|有人|网友|买家|这人",
    ),
    "aside": (
        r"\b(?:anyway|never ?mind|forget it|ignore|whatever|same thing|just saying|as expected|obviously|"
        r"honestly|tbh)\b",
        r"算了|不管|当我没说|别当真|别管|无所谓|先不|忽略|反正",
    ),
}

# Asked for by name where a rule needs them; as features they would only repeat others.
_NOT_WEIGHED: Final = frozenset({"others", "as_subject"})
CUES: Final[dict[str, re.Pattern[str]]] = {
    name: re.compile(f"(?:{english})|(?:{chinese})", re.IGNORECASE) for name, (english, chinese) in _TOPICS.items()
}
# Case matters here: without it every word counted as a product.
PRODUCT: Final = re.compile(
    r"(?<![A-Za-z])(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[\w+#.-]*|[A-Z][\w-]*\d[\w.-]*|"
    r"[a-z]+[-_.:][a-z0-9][\w.:-]*|[A-Za-z]+\d+[\w.]*|[a-z]+_\w+)"
)
LATIN_IN_CHINESE: Final = re.compile(r"[A-Za-z][A-Za-z0-9.+#_-]*")
NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
NUMBER: Final = re.compile(
    r"\d+(?:[.:]\d+)*|"
    r"(?<!第)[一二两三四五六七八九十百千]{1,4}(?=[个只天次年岁点块元千万分小人名座台月级号周%])"
)
VERSION: Final = re.compile(r"\bv?\d+\.\d+(?:\.\w+)*\b|[A-Za-z+#]+ ?\d+(?:\.\d+)*\b")


def cues_in(text: str) -> set[str]:
    """The names of every cue that *text* shows."""
    return {name for name, pattern in CUES.items() if name not in _NOT_WEIGHED and pattern.search(text)}
