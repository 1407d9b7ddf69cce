"""The slots that come up in many conversations, each with one English name for both languages.

"I moved to Leiden" and "我住在莱顿" fill the same slot, so they must share a key for the second to meet the
first. A pattern is a way of stating the slot, not a mention of its topic: that a bank reviews a loan says
nothing about the user's review rule.
"""

from __future__ import annotations

import re
from typing import Final


def _compiled(*named: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in named)


_PERSONAL: Final = _compiled(
    (
        "name",
        r"\bmy (?:full |first |last |new )*name (?:is|changed)\b|"
        r"\bcall me (?!before|after|on|at|if|when|later|in|back|tomorrow|once)\w|"
        r"\bnew (?:last|first) name\b|"
        r"我叫(?!他|她)|我的名字|(?:请|要|就)?叫我|称呼我",
    ),
    ("birthday", r"\bmy birthday\b|\bi was born\b|我(?:的)?生日|我出生"),
    (
        "home_city",
        r"\b(?:i|we) (?:\w+ )?live (?:in|near|at)\b|\bi(?:'m| am) (?:based|living) in\b|\b(?:i|we)(?:'re|"
        r"'ve)?(?: \w+)? mov(?:ed|ing) "
        r"(?:to|from|into)\b|(?:我们?|现在|家)(?:现在|目前|都|就)?住(?!院|宿|酒店|过|得)(?:在|到)?|"
        r"搬(?:家)?[到去进]|定居|人在",
    ),
    ("hometown", r"\bi(?:'m| am) (?:originally )?from\b|\bgrew up in\b|老家|籍贯|我是.{1,4}人$"),
    (
        "employer",
        r"\bi (?:\w+ )?work (?:at|for)\b|\bjoined .{2,20} as\b|在.{1,14}(?:上班|工作(?!日|压力)|任职|"
        r"供职)|入职|我(?:们)?公司[是叫在]",
    ),
    (
        "occupation",
        r"\bi(?:'m| am) an? (?:[\w-]+ ){0,3}(?:engineer|developer|programmer|nurse|teacher|doctor|"
        r"designer|analyst|manager|"
        r"accountant|porter|chef|lawyer|writer|editor|architect|electrician|carpenter|pharmacist|"
        r"therapist|scientist|translator|"
        r"freelancer|consultant|photographer|farmer|driver|librarian|dentist|plumber|researcher|baker|barista)\b|"
        r"\bi(?:'m| am) (?:in )?payroll|\bi (?:taught|teach)\b|\bmy (?:job|profession)\b|\bi work (?:as|in)\b|"
        r"我在.{1,10}当.{1,8}(?:长|师|员|生|士)|我是(?:一[名个位])?.{0,12}(?:护士长|厂长|师|员|医生|护士|程序员|工人|维修工|经理|班长|老板|店主|创业者|律师|"
        r"会计|司机|学生|编辑)|我做.{1,10}的|"
        r"干.{1,10}(?:这行|维修)|归我[管盯]|我(?:的)?(?:职业|工作)是",
    ),
    (
        "education",
        r"\b(?:studying|degree|bachelor'?s?|masters?|phd|graduated|(?:1st|2nd|3rd|first|second|third|"
        r"final) ye?a?r?|university|"
        r"college)\b|在?读.{0,14}(?:master|硕|博|研|专业|大学)|大[一二三四](?![天件])|就读|毕业(?:于|了)?|学历",
    ),
    ("age", r"\bi(?:'m| am) \d{1,3}\b(?! (?:minutes|miles|km|percent|%))|\byears old\b|我(?:今年)?\d{1,3} ?岁"),
    ("nationality", r"\b(?:citizen of|nationality|passport from|residence permit)\b|国籍|公民"),
    (
        "spoken_languages",
        r"\b(?:i|we) (?:\w+ )?speak (?!to|with|about)|\bfluent in\b|\bmy (?:first language|mother tongue|"
        r"native language)\b|\b(?:learning|studying|my) "
        r"(?:english|chinese|mandarin|french|german|spanish|dutch|korean|japanese|italian)\b|母语|我(?:会|"
        r"能)?说(?:中文|英语|粤语|日语|韩语|法语|德语)|"
        r"[学](?:英语|日语|韩语|法语|德语|西班牙语)|(?:英语|日语|韩语|法语|德语|西语)(?:水平|一般|不好|还行|考|到|过|[A-CN][1-5])",
    ),
    (
        "personality",
        r"\bi(?:'m| am) (?:an? )?(?:introvert\w*|extrovert\w*|perfectionist)\b|我(?:本人|这个?人|"
        r"性格).{0,6}(?:外向|内向|较真|急|慢热|保守|随和)",
    ),
)
_BODY: Final = _compiled(
    (
        "daily_drink",
        r"\b(?:i|we) (?:\w+ )?drink (?!driv)|\bswitch\w* .{0,24}\b(?:coffee|latte|tea|espresso|cappuccino|matcha)\b|"
        r"\bmore of an? (?:tea|coffee)\b|(?:我|每天|早上|改|只|常|都|平时|喜欢|爱)喝(?!酒|多|醉|完)|从.{1,8}改喝",
    ),
    (
        "diet",
        r"\b(?:vegan|vegetarian|halal|kosher|coeliac|celiac|gluten|lactose|pescatarian|low[- ]carb|keto|"
        r"on a diet)\b|素食|吃素|清真|乳糖|麸质|"
        r"控制饮食|忌口|低[糖脂盐]饮食",
    ),
    (
        "injury",
        r"\b(?:my|the|left|right|bad|dodgy) (?:left |right |bad |dodgy |sore |lower )*(?:knee|back|hip|"
        r"shoulder|wrist|ankle|achilles|neck)\b.{0,40}"
        r"\b(?:hurts?|injur\w+|flares?|op|surgery|sore|bad|pain\w*|sprain\w*|out)\b|\bbad (?:knee|back|"
        r"hip|shoulder|wrist|ankle)\b|"
        r"旧伤|扭伤|拉伤|劳损|骨折|(?:脚踝|膝盖|腰|肩|手腕|脖子|颈椎).{0,8}(?:伤|疼|痛|酸|不适|不舒服|恢复|康复)",
    ),
    (
        "health_condition",
        r"\b(?:diabet\w+|asthma\w*|migraines?|arthritis|blood pressure|cholesterol|pregnant|adhd|"
        r"dyslexi\w+|colou?r[- ]?blind|deaf)\b|"
        r"糖尿|高血压|血压|血脂|血糖|哮喘|痛风|怀孕|色盲|近视|失眠|体检(?:报告|结果)",
    ),
    ("medication", r"\b(?:medication|meds|tablets|insulin|inhaler|prescri\w+)\b|服药|吃药|用药"),
    ("body_weight", r"\b(?:lose|losing|gain) weight\b|\bmy (?:weight|bmi)\b|体重|\bbmi\b|减[重肥脂]"),
    ("max_heart_rate", r"\bmax(?:imum)? (?:hr|heart rate)\b|最大心率"),
    ("resting_heart_rate", r"\bresting (?:hr|heart rate)\b|静息心率"),
    (
        "sleep",
        r"\bi (?:\w+ )?(?:sleep|go to bed|wake up|get up)\b|\bmy sleep\b|睡眠|作息|我.{0,6}(?:睡觉|起床|早起|熬夜)",
    ),
    (
        "exercise_routine",
        r"\b(?:gym|workout|strength training|yoga|running|swimming|training plan)\b|健身|跑步|晨练|瑜伽|"
        r"游泳|力量训练|训练计划|壁球|锻炼|我?(?:现在)?[一每]周练|\bi train\b",
    ),
)
_PEOPLE: Final = _compiled(
    (
        "boss_name",
        r"\bmy (?:\w+ )?(?:boss|manager|supervisor) is (?-i:[A-Z])|我(?:的|们)?(?:领导|老板|主管|"
        r"上司)(?:现在)?(?:叫|是|换成)",
    ),
)
_MONEY: Final = _compiled(
    ("budget", r"\bbudget\b|\bceiling\b|\bquid\b|\btops\b|预算|以内.{0,4}$"),
    ("salary", r"\b(?:salary|pay ?day|paid (?:monthly|weekly))\b|工资|发薪|薪水|月薪|年薪"),
    ("rent", r"\brent (?:is|goes|costs|went)\b|\bmy rent\b|租金|房租"),
    ("mortgage", r"\bmortgage\b|房贷"),
    ("savings_goal", r"\bsav(?:e|ing) (?:up )?(?:for|\d)|\bdeposit\b|存钱|存款|攒钱|储蓄"),
    (
        "investments",
        r"\b(?:stocks?|shares|index funds?|etfs?|bonds|portfolio|crypto)\b|我.{0,8}(?:理财|股票|基金|国债|"
        r"投资|持仓|账户)",
    ),
    ("insurance", r"\binsur(?:ance|ed)\b|保险"),
    (
        "housing",
        r"\b(?:my|our) (?:flat|apartment|house|home)\b|\b(?:house|flat|room)mates?\b|买房|房子|租房|装修(?!工)",
    ),
    (
        "vehicle",
        r"\b(?:my|our) (?:car|bike|van|motorbike|truck)\b|\bi (?:drive|ride|cycle)\b|我(?:的)?(?:车|"
        r"电动车|自行车)|开(?:的是|车|辆)|座驾|试驾|买车",
    ),
    (
        "phone",
        r"\b(?:my|our) phone is\b|\bi use an? (?:iphone|android|pixel)\b|"
        r"\bswitch\w* .{0,16}\b(?:iphone|android)\b|手机.{0,8}换|\bi(?:phone user|"
        r"'m on android)\b|我.{0,6}手机(?:是|就是|用)",
    ),
)
_TIME: Final = _compiled(
    (
        "working_hours",
        r"\bi work (?:nights|days|part[- ]time|full[- ]time|from \d|\d)|\b(?:night|day|early|"
        r"late) shifts?\b|\bfour on four off\b|每[周天]工作.{0,4}\d|工时|上[早晚夜]班|倒班|轮班|加班",
    ),
    (
        "commute",
        r"\bmy commute\b|\bi commute\b|\bcommut\w+ (?:by|to|takes)\b|我.{0,6}通勤|通勤(?:时间|要|得|路上|坐|骑|"
        r"改)|上班(?:坐|骑|开车|走路)",
    ),
    ("deadline", r"\bdeadline\b|\bdue (?:on|by)\b|截止|交付日"),
    ("travel_plan", r"\b(?:trip|travel\w*|holiday|vacation|flying) (?:to|in)\b|自驾(?:去|游)|旅行|旅游|出游|行程"),
    (
        "contact_preference",
        r"\b(?:call|phone|ring) me (?:before|after|on|at|if)\b|\b(?:don'?t|never) (?:call|phone|ring)\b|"
        r"\btext or email\b|打电话|别.{0,4}电话|联系我",
    ),
)
_WORK: Final = _compiled(
    (
        "answer_language",
        r"\b(?:reply|answer|respond|write|speak)(?: to)?(?: me)? in (?:english|chinese|french|german|"
        r"spanish|dutch|welsh)\b|"
        r"(?:用|说)(?:中文|英文|英语|汉语|繁体)(?:回|答|说|跟|字)|(?:回答|回复|回我)[^，。]{0,4}用?(?:中文|英文|英语|汉语|繁体)",
    ),
    (
        "answer_style",
        r"\b(?:short|brief|concise|shorter) (?:answers?|repl(?:y|ies)|responses?)\b|"
        r"\b(?:answers?|repl(?:y|ies)|responses?) (?:short|brief|concise)\b|\bkeep (?:it|them|"
        r"answers) (?:short|brief|concise)\b|回答.{0,6}(?:简短|简洁|短|详细)",
    ),
    (
        "package_manager",
        r"\b(?:pnpm|npm|uv|pip|conda|maven|gradle|mvn)\b|"
        r"\b(?:use|uses|using|with|to|from|via) (?:yarn|bun|poetry|cargo)\b|(?:用|换成|从) ?(?:yarn|bun|poetry|"
        r"cargo)|包管理",
    ),
    ("unit_test_framework", r"\b(?:junit\d?|pytest|vitest|jest|rspec|mocha|unittest)\b|单测|测试框架"),
    (
        "formatter",
        r"\b(?:ruff|biome|clang-format|gofmt|formatter)\b|格式化|"
        r"\b(?:use|uses|using|with|to|from|run|via) (?:black|prettier)\b(?! (?:tea|coffee|ink|paint|and|friday|"
        r"pepper))",
    ),
    ("line_length", r"\bline[- ]length\b|行宽|行长"),
    ("python_version", r"\bpython ?\d"),
    ("java_version", r"\b(?:java|jdk) ?\d"),
    ("node_version", r"\bnode[: ]?\d"),
    ("php_version", r"\bphp ?\d"),
    ("ios_version_min", r"ios ?\d|最低.{0,6}ios"),
    ("database", r"\b(?:postgres\w*|mysql|mariadb|sqlite|mongo\w*|oracle)\b|数据库用"),
    (
        "hosting",
        r"\bhost(?:ed|ing|s)? (?:\w+ )?(?:on|with|at)\b|\bour servers? (?:\w+ )?(?:moved|runs?|are|is|lives?)\b|"
        r"服务器.{0,6}(?:在|用|迁|放|换)",
    ),
    (
        "backend_framework",
        r"\bback[- ]?end\b.{0,24}\b(?:runs?|is|uses?|moved|switched|on|in|built)\b|\b(?:fastapi|django|flask|"
        r"rails|spring boot|laravel)\b|"
        r"后端(?:框架)?.{0,8}(?:用|是|换|从|改)",
    ),
    ("monitoring", r"\b(?:prometheus|zabbix|datadog|grafana|nagios)\b|监控(?:用|从|换|改|是)"),
    (
        "issue_tracker",
        r"\b(?:jira|linear|trello|asana|youtrack|redmine)\b.{0,30}|\b(?:tickets?|issues|board)\b.{0,16}\b(?:in|"
        r"on|from|to) [A-Z]|"
        r"(?:飞书|禅道|tapd|teambition).{0,8}|项目管理.{0,6}(?:用|从|换)",
    ),
    ("sprint_length", r"\bsprints?\b|迭代"),
    ("frontend_framework", r"\breact\b(?! (?:badly|well|to|with))|\b(?:vue|svelte|angular)\b|前端框架"),
    ("state_management", r"\b(?:redux|pinia|zustand|riverpod|vuex)\b|状态管理"),
    ("editor", r"\b(?:vim|neovim|emacs|vs ?code|intellij|pycharm|helix)\b|编辑器"),
    ("operating_system", r"\b(?:macos|windows \d+|ubuntu|arch linux|fedora|debian)\b|操作系统"),
    ("ci", r"\b(?:github actions|gitlab ci|jenkins|circleci)\b"),
    (
        "deploy_window",
        r"\b(?:deploys?|releases?) (?:is |are |go |happen |only )*.{0,24}\b(?:mon|tues|wednes|thurs|fri|"
        r"satur|sun)days?|发布窗口|"
        r"(?:生产|上线|发布|发版).{0,10}(?:周|星期)",
    ),
    ("branch_rule", r"\bbranch(?:es)?\b|分支"),
    ("commit_rule", r"\bcommit messages?\b|提交信息"),
    (
        "review_rule",
        r"\b(?:needs?|requires?|after|two|one) (?:\w+ )?approvals?\b|\breviewers?\b|代码评审|(?:合并|提交).{0,8}评审",
    ),
)
SLOTS: Final = (*_PERSONAL, *_PEOPLE, *_BODY, *_MONEY, *_TIME, *_WORK)

RELATIONS: Final = _compiled(
    (
        "partner",
        r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+)\b|老婆|妻子|太太|媳妇|老公|丈夫|"
        r"对象(?=.{0,4}(?:是|在|喜|不))|女朋友|男朋友|女友|男友",
    ),
    ("mother_in_law", r"\bmother[- ]in[- ]law\b|婆婆|岳母|丈母娘"),
    ("parents", r"\b(?:my|our) parents\b|爸妈|父母"),
    ("mother", r"\b(?:mum|mom|mother)\b|我妈|妈妈|母亲|老妈"),
    ("father", r"\b(?:dad|father)\b|我爸|爸爸|父亲|老爸"),
    ("grandparent", r"\bgrand(?:ma|pa|mother|father)\b|爷爷|奶奶|外公|外婆|姥姥|姥爷"),
    ("sister", r"\bsister\b|姐姐|妹妹|我姐|我妹"),
    ("brother", r"\bbrother\b|哥哥|弟弟|我哥|我弟"),
    ("son", r"\b(?:son|lad)\b|儿子"),
    ("daughter", r"\bdaughter\b|女儿|闺女"),
    ("child", r"\b(?:kids?|child(?:ren)?|toddler|baby|twins)\b|孩子|娃(?!娃)|宝宝|老大|老二"),
    ("cat", r"\b(?:my|our|the|a) (?:\w+ )?cat\b(?!-)|[我家养只]猫|猫咪"),
    ("dog", r"\b(?:my|our|the|a) (?:\w+ )?dog\b(?!-)|[我家养条只]狗|狗狗"),
    ("family", r"\bfamily of\b|\bmy family\b|家人|一家[三四五]口"),
    ("boss", r"\bmy (?:\w+ )?(?:boss|manager|supervisor)\b|我(?:的|们)?(?:领导|老板|主管|上司)"),
    ("colleague", r"\b(?:colleague|teammate|boss|manager)\b|同事|领导|徒弟|学徒"),
    ("friend", r"\b(?:friend|mate)s?\b|朋友"),
)


def slot_of(text: str) -> str | None:
    """The name of the first known slot that *text* fills."""
    return next((name for name, pattern in SLOTS if pattern.search(text)), None)


def relation_of(text: str) -> str | None:
    """Whom *text* speaks of, by relation to the user."""
    return next((name for name, pattern in RELATIONS if pattern.search(text)), None)
