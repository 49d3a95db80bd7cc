@pytest.mark.parametrize(
    "character", ["\U000e0041", "\U000e0001", "\u061c", "\xad", "\u2066", "\u200b", "\u202e", "\r"]
)
def test_what_cannot_be_seen_is_shown_as_on_the_command_line(character: str) -> None:
    code = visible(f"a{character}b")[1:-1]
    assert code.startswith("\\")
    assert text(f"a{character}b") == f'a<span class="hidden-character">{code}</span>b'
    assert code in element("p", title=f"a{character}b")


def test_line_ends_and_what_joins_letters_stay() -> None:
    assert text("a\n\tb\u200dc\ufe0f") == "a\n\tb\u200dc\ufe0f"
