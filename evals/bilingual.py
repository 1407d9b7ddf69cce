"""Statements in Chinese and English that say the same, written for this project.

They measure whether a question in one language finds a memory in the other, and calibrate what a
cosine across languages is worth.
"""

from __future__ import annotations

from typing import Final

PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("用户对花生过敏，吃一点就会起疹子", "The user is allergic to peanuts and gets a rash from even a little"),
    ("团队每周四下午两点开复盘会", "The team holds its retrospective every Thursday at two in the afternoon"),
    ("用户的女儿在学小提琴", "The user's daughter is learning the violin"),
    ("生产数据库用的是 PostgreSQL 16", "The production database runs PostgreSQL 16"),
    ("用户更喜欢坐靠窗的座位", "The user prefers a window seat"),
    ("部署前必须先跑完全部测试", "All tests must be run before every deployment"),
    ("用户去年从成都搬到了里斯本", "The user moved from Chengdu to Lisbon last year"),
    ("外婆的生日是六月十二号", "Grandmother's birthday is on the twelfth of June"),
    ("用户不喝含咖啡因的饮料", "The user does not drink anything with caffeine"),
    ("项目的截止日期推迟到了十一月底", "The project's deadline was moved to the end of November"),
    ("用户会说一点葡萄牙语", "The user speaks a little Portuguese"),
    ("家里养了两只橘猫", "There are two ginger cats at home"),
    ("代码评审至少要有两个人同意", "A code review needs the approval of at least two people"),
    ("用户的自行车上个月被偷了", "The user's bicycle was stolen last month"),
    ("打印机放在三楼的储藏室", "The printer is kept in the storage room on the third floor"),
    ("用户正在准备马拉松比赛", "The user is training for a marathon"),
    ("客户要求报价单用欧元计价", "The client wants quotations in euros"),
    ("用户习惯早上五点半起床写作", "The user gets up at half past five to write"),
    ("车库的密码锁换过电池", "The battery of the garage's code lock was replaced"),
    ("用户的房东不允许装修墙面", "The user's landlord does not allow any work on the walls"),
    ("缓存的过期时间设成十五分钟", "The cache expires after fifteen minutes"),
    ("用户打算秋天去冰岛看极光", "The user plans to see the northern lights in Iceland in autumn"),
    ("弟弟在一家兽医诊所工作", "The user's brother works at a veterinary clinic"),
    ("用户晚上十点以后不接电话", "The user takes no calls after ten at night"),
    ("实验室的显微镜需要重新校准", "The laboratory's microscope has to be calibrated again"),
    ("用户喜欢口感偏酸的苹果", "The user likes apples that are rather sour"),
    ("日志只保留三十天", "Logs are kept for thirty days only"),
    ("用户的博士论文写的是珊瑚礁", "The user wrote a doctoral thesis on coral reefs"),
    ("健身房的会员卡明年三月到期", "The gym membership runs out next March"),
    ("用户给菜园装了自动浇水系统", "The user put an automatic watering system in the vegetable garden"),
    ("公司规定出差只能坐二等座", "Company rules allow only second class on business trips"),
    ("用户小时候在海边的渔村长大", "The user grew up in a fishing village by the sea"),
)
QUESTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("用户对什么食物过敏？", "What food is the user allergic to?"),
    ("复盘会是什么时候开？", "When is the retrospective held?"),
    ("用户的女儿在学什么乐器？", "What instrument is the user's daughter learning?"),
    ("生产环境用哪个数据库？", "Which database is used in production?"),
    ("用户喜欢坐什么位置？", "Which seat does the user like?"),
    ("部署之前要做什么？", "What has to be done before deploying?"),
    ("用户搬到了哪个城市？", "Which city did the user move to?"),
    ("外婆哪天过生日？", "When is grandmother's birthday?"),
    ("用户不喝什么？", "What does the user not drink?"),
    ("项目什么时候截止？", "When is the project due?"),
    ("用户会哪些外语？", "Which foreign languages does the user speak?"),
    ("家里有什么宠物？", "What pets are there at home?"),
    ("代码评审需要几个人通过？", "How many people have to approve a code review?"),
    ("用户丢了什么东西？", "What was stolen from the user?"),
    ("打印机在哪里？", "Where is the printer?"),
    ("用户在为什么比赛训练？", "Which race is the user training for?"),
    ("报价用什么货币？", "Which currency are quotations in?"),
    ("用户几点起床？", "What time does the user get up?"),
    ("车库的锁最近做了什么？", "What was done to the garage lock?"),
    ("房东有什么限制？", "What does the landlord forbid?"),
    ("缓存多久过期？", "How long until the cache expires?"),
    ("用户秋天想去哪里旅行？", "Where does the user want to travel in autumn?"),
    ("弟弟做什么工作？", "What is the brother's job?"),
    ("几点以后不要给用户打电话？", "After what time should nobody call the user?"),
    ("实验室哪台仪器要校准？", "Which instrument in the laboratory needs calibrating?"),
    ("用户爱吃什么样的苹果？", "What kind of apples does the user like?"),
    ("日志保留多长时间？", "How long are logs kept?"),
    ("用户的博士论文研究什么？", "What was the user's doctoral thesis about?"),
    ("健身卡哪天到期？", "When does the gym membership end?"),
    ("菜园怎么浇水？", "How is the vegetable garden watered?"),
    ("出差坐车有什么规定？", "What is the rule for trains on business trips?"),
    ("用户在哪里长大？", "Where did the user grow up?"),
)
"""The n-th question is answered by the n-th pair, in either language."""
