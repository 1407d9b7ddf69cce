"""Keys and categories: a slot has one name whoever states it, and a category needs a strong cue."""

import pytest

from hindsight.domain.memory import Category, Language
from hindsight.language.extraction.categories import category_of
from hindsight.language.extraction.keys import key_of


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("我摸黑走进了一间画室。", "fact"),
        ("总不能每次都靠邻居帮忙开门。", "fact"),
        ("I found a version of the map in the attic.", "fact"),
        ("I can't find my umbrella.", "fact"),
        ("We walked around the lake.", "fact"),
        ("From now on answer me in Welsh.", "instruction"),
        ("以后回答我都用文言文。", "instruction"),
        ("我们的图书馆系统用 PostgreSQL。", "tech_stack"),
        ("I've been using Redis for the queue.", "tech_stack"),
        ("I'm a piano tuner.", "identity"),
        ("我对花粉过敏。", "constraint"),
        ("Loans must be signed by two people.", "constraint"),
        ("I love rye bread.", "preference"),
        ("我有两个女儿。", "relationship"),
        ("我零基础，刚入门陶艺。", "skill"),
    ],
)
def test_without_a_strong_cue_a_memory_is_a_fact(text: str, category: Category):
    assert category_of(text, {}) == category


@pytest.mark.parametrize(
    ("english", "chinese", "key"),
    [
        ("I live in Graz.", "我住在绍兴。", "home_city"),
        ("I work at a dairy.", "我在一家牛奶厂上班。", "employer"),
        ("I'm a freelance translator.", "我是一名翻译老师。", "occupation"),
        ("Our budget is 900 at most.", "我们的预算最多两千。", "budget"),
        ("I'm vegetarian.", "我吃素。", "diet"),
        ("My left knee hurts on stairs.", "我膝盖有旧伤。", "injury"),
        ("I work nights.", "我上夜班。", "working_hours"),
        ("My car is a 2009 Skoda.", "我的车是辆旧斯柯达。", "vehicle"),
        ("My rent is 700.", "我的房租是三千。", "rent"),
        ("Never call me before noon.", "上午别给我打电话。", "contact_preference"),
        ("I graduated in 2012.", "我是 2012 年毕业的。", "education"),
    ],
)
def test_known_slots_have_one_key_in_both_languages(english: str, chinese: str, key: str):
    assert key_of(english, category_of(english, {}), "", "en") == key
    assert key_of(chinese, category_of(chinese, {}), "", "zh") == key


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("My greenhouse is 12 square metres.", "My greenhouse is 20 square metres now.", "en"),
        ("我的温室有十二平。", "我的温室扩到二十平了。", "zh"),
    ],
)
def test_elsewhere_the_key_names_what_the_sentence_is_about(one: str, other: str, language: Language):
    first, second = (key_of(text, "fact", "", language) for text in (one, other))
    assert first == second
    assert ("greenhouse" if language == "en" else "温室") in first


def test_a_word_inside_another_fills_no_slot():
    assert key_of("I submitted the form in March.", "fact", "", "en") != "body_weight"
    assert key_of("I want a cat-back exhaust.", "fact", "", "en").startswith("fact_")
