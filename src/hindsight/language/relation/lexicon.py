"""What the judge knows about words: who is spoken of, negation, change, scope, opposites, synonyms.

Both languages share one table of concepts, so that "wife" and 太太 are one word to the judge and an old
Chinese memory can be held against a new English one. Lists name general words of the two languages;
a full thesaurus was rejected for its size and for the false friends it brings.
"""

from __future__ import annotations

from typing import Final


def _table(text: str) -> dict[str, str]:
    """Word to concept, from lines of ``concept: word word ...`` (an underscore stands for a space)."""
    words: dict[str, str] = {}
    for line in text.strip().splitlines():
        concept, _, names = line.partition(":")
        for name in names.split():
            words[name.replace("_", " ")] = concept.strip()
    return words


def _words(text: str) -> frozenset[str]:
    return frozenset(name.replace("_", " ") for name in text.split())


# Who is spoken of, other than the user. Pets count: their age or food is not the user's.
PERSONS: Final = _table("""
wife: wife 妻子 太太 老婆 媳妇 爱人
husband: husband 丈夫 老公 先生
partner: partner spouse fiancé fiance fiancée fiancee 伴侣 对象 配偶 未婚妻 未婚夫
girlfriend: girlfriend 女朋友 女友
boyfriend: boyfriend 男朋友 男友
mother: mother mum mom mother's 母亲 妈妈 妈 老妈 我妈
father: father dad father's 父亲 爸爸 爸 老爸 我爸
parents: parents 父母 爸妈 爹妈 双亲
son: son 儿子
daughter: daughter 女儿 闺女
child: child kid kids children 孩子 小孩 娃 子女
sister: sister 姐姐 妹妹 姐 妹
brother: brother 哥哥 弟弟 哥 弟
sibling: siblings sibling 兄弟姐妹 兄弟 姐妹
grandmother: grandmother grandma granny 奶奶 外婆 姥姥 祖母
grandfather: grandfather grandpa 爷爷 外公 姥爷 祖父
uncle: uncle 叔叔 舅舅 伯伯 姑父 姨父
aunt: aunt auntie 阿姨 姑姑 姨妈 舅妈 婶婶
cousin: cousin 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹
nephew: nephew 侄子 外甥
niece: niece 侄女 外甥女
motherinlaw: mother-in-law 婆婆 岳母 丈母娘
fatherinlaw: father-in-law 公公 岳父 老丈人
boss: boss manager supervisor 老板 上司 领导 经理 主管
colleague: colleague coworker co-worker teammate 同事 搭档
friend: friend friends mate 朋友 好友 闺蜜 哥们
roommate: roommate flatmate housemate 室友 舍友
neighbour: neighbour neighbor neighbours neighbors 邻居
classmate: classmate 同学
teacher: teacher tutor 老师 导师
coach: coach trainer 教练 私教
doctor: doctor gp 医生 大夫
dentist: dentist 牙医
client: client customer clients customers 客户 顾客 甲方
supplier: supplier vendor suppliers 供应商 厂商 乙方
landlord: landlord landlady 房东
tenant: tenant 租客 房客
intern: intern interns 实习生
assistant: assistant secretary 助理 秘书
cat: cat kitten 猫 猫咪
dog: dog puppy 狗 小狗 狗狗
team: team 团队 小组 组里
company: company firm employer 公司 企业 单位
""")


def _sets(text: str) -> dict[str, tuple[int, int]]:
    """Word to (set, member), from lines of ``word word | word word``: one line a set of alternatives."""
    places: dict[str, tuple[int, int]] = {}
    for set_index, line in enumerate(text.strip().splitlines()):
        for member_index, member in enumerate(line.split("|")):
            for name in member.split():
                places.setdefault(name.replace("_", " "), (set_index, member_index))
    return places


# Sets of alternatives that name a scope: where only the scope differs, both memories can be true.
SCOPES: Final = _sets("""
production prod live 生产 生产环境 线上 正式 正式环境 | staging 预发 预发布 stage | test testing qa 测试 \
测试环境 | dev development local 开发 开发环境 本地 | preview sandbox 沙箱 | demo 演示
frontend front-end 前端 | backend back-end server 后端 服务端 服务器 | mobile 移动端 手机端 app | web 网页端 \
网页 pc | ios 苹果端 | android 安卓 安卓端 | desktop 桌面 桌面端 | 小程序 小程序端
weekday weekdays workday workdays 工作日 平日 平时 | weekend weekends 周末 | holiday holidays 节假日 假期
spring 春天 春季 春 | summer 夏天 夏季 夏 | autumn fall 秋天 秋季 秋 | winter 冬天 冬季 冬
morning mornings 早上 上午 早晨 清晨 早餐 breakfast | noon 中午 lunch 午餐 午饭 | afternoon afternoons 下午 | \
evening evenings night nights 晚上 夜里 夜间 dinner 晚餐 晚饭 | daytime 白天
home house 家 家里 在家 | office work 办公室 公司 单位 | outside outdoors 户外 室外 外面 | indoors inside 室内 \
| school 学校 | abroad overseas 国外 海外 | domestic 国内
internal 内部 对内 | external 外部 对外 | public 公开 | private 私人 私有 personal 个人
new 新 新的 | old existing 老 旧 已有 存量
left 左 左边 左侧 左手 左眼 左膝 | right 右 右边 右侧 右手 右眼 右膝
first 第一 | second 第二 | third 第三 | last 最后
north 北 北边 | south 南 南边 | east 东 东区 东边 | west 西 西区 西边
big large 大 大型 | small 小 小型 | short 短 | long 长
sunny 晴天 天气好 | rainy 雨天 下雨 下雨天 rain | hot 热 | cold 冷
morning_shift 早班 | night_shift 夜班 晚班
white 白 白色 执白 白棋 | black 黑 黑色 执黑 黑棋 | red 红 红色 | blue 蓝 蓝色 | green 绿 绿色 | yellow 黄 黄色 \
| grey gray 灰 灰色 | pink 粉 粉色 | brown 棕色
full-time 全职 | part-time 兼职 | adults adult 成人 大人 | kids children 儿童 小孩
read reads reading 读 | write writes writing 写 | input 输入 | output 输出 | upload uploads 上传 | download \
downloads 下载
min minimum 最低 最小 下限 | max maximum 最高 最大 上限 | average 平均
upstairs 楼上 | downstairs 楼下 | kitchen 厨房 | bedroom 卧室 | bathroom 浴室 卫生间 | living_room 客厅 | study \
书房 | garden 花园 院子 | balcony 阳台 | garage 车库""")

# Words that exclude each other on one slot: where only these differ, the memories contradict.
OPPOSITES: Final = _sets("""
like likes love loves enjoy enjoys fond prefer prefers adore adores keen fan 喜欢 爱 喜爱 热爱 偏爱 偏好 爱吃 \
爱喝 迷 享受 最爱 | dislike dislikes hate hates avoid avoids detest detests loathe loathes 讨厌 厌恶 反感 \
受不了 恨 烦 嫌 忌
always 总是 一直 总 每次 | never 从不 从来不 从没 从未 绝不 永不 从来
all every everything everyone 全 全部 都 所有 一律 全都 | none no nobody nothing 无 没有
required mandatory must compulsory 必须 强制 必需 一定 务必 | optional voluntary 可选 自愿 随意 不必 不用 无需
allowed permitted allow allows permit permits 允许 可以 能 准 | forbidden banned prohibited mustn't cannot 禁止 \
不准 不许 不得 严禁 不能 不可
on enabled enable enables 开启 打开 启用 true | off disabled disable disables 关闭 停用 禁用 关掉 false
before 之前 前 earlier | after 之后 后 later
early earlier 早 提前 | late later 晚 推迟
increase increased raise raised grow 增加 上升 提高 涨 上调 | decrease decreased shrink 减少 下降 降低 降 下调
more 更多 多 | less fewer 更少 少
married 已婚 结婚 | single unmarried 单身 未婚 | divorced 离婚 离异
male gelding stallion boy man he him his 公 男 雄 公猫 公狗 男孩 男性 男生 | female mare girl woman she her \
hers 母 女 雌 母猫 母狗 女孩 女性 女生
vegetarian vegan 素食 素食者 吃素 素 | meat steak beef pork chicken 肉 牛排 牛肉 猪肉 鸡肉 荤 红烧肉 排骨 烤肉
alive 活着 健在 在世 | dead died deceased 去世 过世 死
rent rents renting rented 租 租房 | own owns owned 自有 买
open 开放 开放式 open-plan | closed enclosed 封闭 封闭式
morning mornings 早上 早晨 上午 清晨 | evening evenings night nights 晚上 夜里 深夜
sweet 甜 | salty savoury savory 咸 | sour 酸 | bitter 苦 | spicy 辣 无辣不欢 | mild bland 清淡
acidic 酸性 | alkaline 碱性 | neutral 中性
automatic automatically auto 自动 自动挡 | manual manually hand 手动 手动挡 手工 人工
paper physical 纸质 纸 | digital electronic electronically 电子 电子版
online remote remotely 在线 远程 | offline in-person onsite on-site 线下 现场 当面
public 公开 | private 私有 保密
full 满 全职 full-time | part-time 兼职 empty 空
fast quick 快 快速 | slow 慢 慢速
cheap inexpensive 便宜 | expensive pricey 贵 昂贵
success succeeded passed pass 成功 通过 及格 | fail failed fails 失败 不及格
accept accepted agree agreed approve approved 同意 接受 批准 | reject rejected refuse refused declined decline \
拒绝 反对 驳回 否决
delivered received arrived 到货 收到 送达 签收 | missing lost undelivered 丢 丢失
internal 内部 | external outside 外部 外包
hot 热 | cold iced 冰 冷 凉
window 靠窗 | aisle 过道 靠过道
sell sold 卖 出售 卖掉 | buy bought purchase 购买 买入
win won beat beaten 赢 胜 | lose 输 负
light 浅 浅色 亮色 亮 | dark 深 深色 暗色 暗
left 左 左边 | right 右 右边
running started continues 运行 继续 | stopped ended 停 停止 结束
alone 独居 独自 一个人 | together 一起 同住 合住
newest latest 最新 新 | oldest earliest 最早 旧
indoor indoors 室内 | outdoor outdoors 户外 室外
sun 太阳 全日照 暴晒 | shade shady 阴 阴凉 遮阴
introvert introverted 内向 | extrovert extroverted 外向
left-handed 左撇子 | right-handed 右撇子
""")

# Synonyms across spelling, register and the two languages; the concept's name is arbitrary.
CONCEPTS: Final = _table("""
prefer: prefer prefers preferred preference favour favours favors rather 偏好 偏爱 更喜欢 更爱 更中意 倾向 首选 宁愿
like: like likes love loves enjoy enjoys enjoying adore adores keen fan 喜欢 爱 喜爱 热爱 享受 爱吃 爱喝 中意 钟爱
favourite: favourite favorite 最喜欢 最爱
dislike: dislike dislikes hate hates detest detests loathe loathes 讨厌 厌恶 反感 恨 受不了 嫌
live: live lives living reside resides resident residence 住 居住 居住地 定居 住址 住处
work: work works working job employed occupation profession 工作 上班 就职 任职 供职 职业 担任
use: use uses using used utilise utilize utilizes 用 使用 采用
run: run runs running 跑 跑步
buy: buy buys bought purchase purchased purchases 买 购买 购入 入手
allergy: allergic allergy allergies 过敏 过敏原
eat: eat eats eating consume 吃
drink: drink drinks drinking 喝 饮
learn: learn learns learning study studies studying 学 学习 在学 正在学
know: know knows 会 懂 掌握 了解
speak: speak speaks spoken 说 讲 会说
drive: drive drives driving 开车 驾驶
own: own owns have has had having got possess possesses 有 拥有 养
need: need needs require requires required requirement must mandatory compulsory 需要 必须 要求 务必 须 得 需 强制
allow: allow allows allowed permit permits permitted 允许 准许
forbid: forbid forbids forbidden ban banned prohibited 禁止 不准 不许 不得 严禁 不可
only: only solely exclusively just 只 仅 仅仅 只有 唯一 仅限 只能
always: always 总是 一直 总 每次 始终 一律
never: never 从不 从来 从没 从未 绝不
start: start starts starting begin begins began started commence 开始 开学 开幕
end: end ends ended ending finish finishes closes close 结束 关门 截止
due: due deadline submit submitted 截止日期 交 提交 到期
date: date 日期 日子
schedule: schedule scheduled fixed planned held 定 定在 安排 举行 召开
change: change changed changes switch switched 改 换 改成 换成
move: move moved moves migrate migrated relocate relocated 搬 迁 迁移 搬家 搬到 迁到
replace: replace replaced replaces supersede superseded 取代 替换 替代 代替
meeting: meeting meetings 会议 例会 周会 开会
standup: standup stand-up 站会 晨会 早会
deploy: deploy deploys deployed deployment deployments rollout rollouts release releases ship ships 部署 上线 发布
production: production prod 生产 生产环境 线上 正式环境
staging: staging 预发 预发布 预发环境
test: test tests testing 测试
database: database databases db 数据库
postgresql: postgresql postgres pg pgsql psql
kubernetes: kubernetes k8s
javascript: javascript js
typescript: typescript ts
golang: golang go
mongodb: mongodb mongo
ie: ie internet-explorer
elasticsearch: elasticsearch es
repository: repository repo 代码库
config: config configuration configure configured 配置
document: document documents doc docs documentation 文档
language: language lang 语言
code: code codebase 代码
message: message messages msg 信息 消息
english: english 英语 英文
chinese: chinese mandarin 中文 汉语 普通话
japanese: japanese 日语 日文
french: french 法语 法文
german: german 德语 德文
spanish: spanish 西班牙语 西语
korean: korean 韩语 韩文
car: car cars vehicle automobile auto 车 汽车 轿车
bike: bike bicycle cycle cycles cycling 自行车 单车 骑车
phone: phone mobile smartphone cellphone 手机
computer: computer laptop notebook 电脑 笔记本 笔记本电脑
address: address addr 地址
birthday: birthday born birth 生日 出生 出生于 生于
age: age aged old 年龄 岁
name: name named called known 名字 叫 名叫 姓名 名为
price: price prices cost costs priced charge charges fee rate 价格 价 费用 收费 单价 售价
budget: budget 预算
limit: limit cap capped ceiling maximum max most 上限 限制 最多 最高 不超过 封顶 以内 以下
minimum: minimum min least lowest 最低 最少 下限 至少 不低于 起码
salary: salary wage pay earns 工资 薪水 薪资 月薪 年薪
exercise: exercise workout exercises gym trains training fitness 健身 锻炼 运动 训练
marathon: marathon full-marathon 马拉松 全马 全程马拉松
halfmarathon: half-marathon 半马 半程马拉松 半程
record: pb best personal-best record 最好成绩 纪录 成绩 最佳
film: film films movie movies 电影 片子
book: book books 书 书籍
music: music 音乐
food: food cuisine dish dishes 食物 菜 美食 料理 菜系
coffee: coffee 咖啡
tea: tea 茶
alcohol: alcohol alcoholic 酒 喝酒 饮酒 酒精
breakfast: breakfast 早餐 早饭
lunch: lunch 午餐 午饭 中饭
dinner: dinner supper 晚餐 晚饭
flight: flight flights fly flies flying 航班 飞 坐飞机
aircraft: aircraft plane airplane aeroplane 飞机
hotel: hotel hotels 酒店 宾馆
seat: seat seats 座位 选座 座
window: window 靠窗 窗边 窗口
aisle: aisle 过道 靠过道
smoke: smoke smokes smoker smoking 抽烟 吸烟 烟
sleep: sleep sleeps bed bedtime 睡 睡觉 入睡 就寝
wake: wake wakes 起床 早起
reply: reply replies respond response answer answers 回答 回复 答复 答
concise: concise short brief terse 简洁 简短 精简 简明
meat: meat 肉 荤
vegetarian: vegetarian veggie 素食 素食者 吃素
pet: pet pets animal animals 宠物
medicine: medicine medication drug pills 药 药物
sick: sick ill illness 病 生病
hospital: hospital clinic 医院 诊所
school: school 学校
university: university college uni 大学 高校
degree: degree graduate graduated graduates 毕业 学位
major: major majored majors 专业
group: team group squad 团队 小组
customer: customer customers client clients 客户 顾客
supplier: supplier suppliers vendor vendors 供应商 厂商
order: order orders 订单
warehouse: warehouse 仓库 仓
stock: stock inventory 库存
delivery: delivery deliver delivered deliveries shipped shipping courier parcel parcels 快递 发货 送货 配送 物流
invoice: invoice invoices invoicing bill 发票 账单
refund: refund refunded refunds 退款
contract: contract contracts agreement 合同 协议
report: report reports 报告 报表
pay: pay pays paid payment payments 付 付款 支付 结算
monthly: monthly 每月 月度
weekly: weekly 每周 周度
daily: daily 每天 每日 天天
yearly: yearly annual annually 每年 年度
keep: keep keeps kept store stores stored storage 存 存放 保存 放 留存 保管 收纳
manage: manage manages managed responsible lead leads head oversees 管 管理 负责 分管 主管
boss: boss supervisor manager reports 上司 领导 直属领导 老板
log: log logs logging 日志
backup: backup backups 备份
server: server servers 服务器
port: port 端口
version: version versions 版本
upgrade: upgrade upgraded upgrades 升级 升到
review: review reviews reviewed reviewer 审核 评审 审查 审校
approve: approve approval approves approved 批准 审批 同意
cut: prune prunes pruned pruning trim trims 修剪 剪枝 剪
water: water waters watering 浇水 浇
plant: plant plants planted grow grows sow sows 种 种植 栽 播种
teach: teach teaches teaching teacher 教 老师 教师 任教
doctor: doctor physician 医生 大夫
nurse: nurse 护士
engineer: engineer developer programmer 工程师 程序员
accountant: accountant bookkeeper 会计
lawyer: lawyer solicitor attorney 律师
translate: translator translates translate translation 翻译 译 译者
play: play plays playing 玩 打 弹
optional: optional voluntary 可选 自愿
indicate: at located kept parked based 位于 停 停放
big: big large largest biggest 大 最大
customer: customer client 客户
""")

NEGATIONS: Final = _words("""
not no never none nor neither without cannot can't don't doesn't didn't won't isn't aren't wasn't weren't
hasn't haven't hadn't wouldn't shouldn't mustn't couldn't needn't ain't nothing nobody nowhere hardly rarely
barely unable refuse refuses refused avoid avoids below
不 没 没有 别 勿 未 无 非 莫 不要 不会 不能 不用 不是 不必 不可 不得 不许 不准 不再 不想 不肯 不愿 从不 从没 从未
从来不 绝不 并非 无需 未曾 禁止 严禁 拒绝 避免 不带 不含 戒 未 没法 不行 不了 无法 不需 不需要
""")
UNIVERSALS: Final = _words("""
all every always only never everything everyone nothing nobody none exclusively solely entire whole any
throughout constantly strictly whenever each completely entirely
全 都 总 总是 一直 只 仅 从不 从来 从没 从未 一律 所有 全部 任何 每次 绝不 必须 全程 完全 始终 统一 唯一 凡是 \
只能 仅限 一概 全都
""")
# One slot holds one value: being, measuring and naming, superlatives, and decisions.
EXCLUSIVES: Final = _words("""
is are was favourite favorite main primary default best only all birthday name born age height weight size
lives live married single job works manager boss limit deadline due budget password address version port
total maximum minimum capacity starts ends begins opens closes largest biggest owner lead captain always
是 为 叫 只 全 都 最 主要 默认 首选 生日 出生 年龄 身高 体重 尺码 鞋码 住 住在 结婚 单身 职业 上限 下限 截止 预算 地址
版本 端口 总共 一共 最大 最小 最高 最低 最多 开始 结束 定 定在 设 设为 统一 一律 必须 唯一 属于 第一
""")
# Verbs that take many objects: two memories with different objects can both be true.
OPEN_VERBS: Final = _words("""
like likes love loves enjoy enjoys has have own owns know knows learn learning speak speaks play plays
eat eats drink drinks visited takes took bought read reads allergic uses use collects collect plans plan
喜欢 爱 有 会 懂 学 在学 吃 喝 玩 养 买 去 去过 看 看过 过敏 用 收藏 打 弹 认识 参加 报 订
""")

STOPWORDS: Final = _words("""
the a an of to in on at for with by from as and or but so that this these those it its it's be been being is
are was were am do does did has have had will would shall should can could may might must their they them
we us our you your who whom which what when where while than then there here very quite also the.
too about into over under up down out off just some such own same other user user's users
i me my mine each per every s if him her he she his hers himself herself
用户 的 了 着 过 是 在 和 与 及 或 也 都 就 才 还 又 很 太 最 更 把 被 给 对 对于 跟 同 从 到 由 为 以 于 之 其 \
这 那 这个 那个
他 她 它 他们 她们 我 我们 你 您 一个 个 地 得 吧 呢 吗 啊 哦 等 所 而 并 且 并且 但 但是 而且 因为 所以 如果 \
则 那么 里 上 中 下
时 时候 要 会 能 可以 应该 一 些 一些 有 有的 名 位 用 做 说 走 来 去 起 后 前 内 外 方面 目前 现在 已经 已 \
自己 每 不 没 没有
not no never don't doesn't isn't says said say asks asked mentioned reports
要求 表示 提到 认为 觉得 说道 反映 自己的 一般 通常 其中 其他 那 那颗 那台 那个 这台
""")
# Words that stand at the head of a predicate; what comes before one is the topic.
PREDICATES: Final = _words("""
is are was were be am isn't aren't wasn't weren't has have had does do did doesn't don't didn't can cannot can't
could may might must mustn't shall should will won't would never always only also now no not uses use used runs
run ran needs need takes take took goes go went gets get got starts start begins ends end opens closes lives live
works work costs cost weighs holds keeps keep stores likes like loves love hates hate prefers prefer wants want
makes make gives speaks plays drinks eats reads writes owns sells meets lasts serves contains includes supports
requires allows belongs comes leaves arrives moved moves switched changed became stopped quit sleeps drives rides
studies teaches learns reports pays earns lies sits stands hosts seats
是 为 叫 在 用 有 没 没有 不 不是 不能 不会 不要 不许 不准 要 能 会 可以 必须 应该 应 得 只 都 也 还 已 已经 由 从 \
给 把 被 放 存 住 位于 属于 位 归 改 换 喜欢 爱 讨厌 吃 喝 做 写 看 打 坐 开 学 教 说 讲 养 买 卖 定 定在 设 \
采用 使用 支持 需要 需 负责 工作 上班 禁止 允许 占 重 长 高 深 宽 装 到 跑 走 停 对 比 每 每周 每天 每月 一直 \
总是 从不 从来 曾 曾经 现在 正在 打算 计划 想 希望 习惯 认为 觉得 不再 最
""")
USER_WORDS: Final = _words("user user's users 用户 i my me 我")
