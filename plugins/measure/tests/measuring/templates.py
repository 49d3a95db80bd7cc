"""Small chat templates, each with one whim."""

from __future__ import annotations

from typing import Final

TEXT: Final = "{{ m.content or '' }}"
CALLS: Final = (
    "{% for c in m.tool_calls or [] %}<call {{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}>"
    "{% endfor %}"
)
END: Final = "{% if add_generation_prompt %}[assistant]{% endif %}"


def template(body: str = TEXT + CALLS, *, first: str = "", each: str = "") -> str:
    """Make a template: what stands before the messages and before each of them, and what is shown of each."""
    return f"{first}{{% for m in messages %}}{each}[{{{{ m.role }}}}]{body}\n{{% endfor %}}{END}"


def refusing(condition: str, text: str = "I do not take that") -> str:
    return f"{{% if {condition} %}}{{{{ raise_exception('{text}') }}}}{{% endif %}}"


ALL: Final = template()
TURNS: Final = (
    "{% set ns = namespace(user=true) %}{% for m in messages %}"
    "{% if m.role == 'user' or (m.role == 'assistant' and not m.tool_calls) %}"
    + refusing("(m.role == 'user') != ns.user", "Speak in turns")
    + "{% set ns.user = not ns.user %}{% endif %}{% endfor %}"
)
WHIMS: Final = {
    "all is shown": ALL,
    "no calls": template(TEXT),
    "no calls, in turns": template(TEXT, each=refusing("m.role not in ['system', 'user', 'assistant']"), first=TURNS),
    "no system": template(each=refusing("m.role == 'system'", "Nobody tells me")),
    "a system prompt that is not shown": template("{% if m.role != 'system' %}" + TEXT + CALLS + "{% endif %}"),
    "a system prompt unless results are last": template(
        "{% if m.role != 'system' or messages[-1].role != 'tool' %}" + TEXT + CALLS + "{% endif %}"
    ),
    "system first": template(each=refusing("m.role == 'system' and not loop.first")),
    "in turns": template(first=TURNS),
    "a user": template(first=refusing("not messages | selectattr('role', 'equalto', 'user') | list")),
    "one call": template(each=refusing("(m.tool_calls or []) | length > 1")),
    "the first call": template(TEXT + CALLS.replace("m.tool_calls or []", "(m.tool_calls or [])[:1]")),
    "calls without text": template("{% if m.tool_calls %}" + CALLS + "{% else %}" + TEXT + "{% endif %}"),
    "text without calls": template("{% if m.content %}" + TEXT + "{% else %}" + CALLS + "{% endif %}"),
    "calls without text, in turns": template(
        "{% if m.tool_calls %}" + CALLS + "{% else %}" + TEXT + "{% endif %}", first=TURNS
    ),
    "no user after results": template(
        each=refusing("m.role == 'user' and loop.previtem and loop.previtem.role == 'tool'")
    ),
    "short ids": template(each="{% for c in m.tool_calls or [] %}" + refusing("c.id | length != 9") + "{% endfor %}"),
    "ids that are not short": template(
        each="{% for c in m.tool_calls or [] %}" + refusing("c.id | length < 9") + "{% endfor %}"
    ),
    "names of tools": template(each=refusing("m.role == 'tool' and not m.name")),
    "parts": template("{% for p in m.content or [] %}{{ p.text }}{% endfor %}" + CALLS),
    "the first part": template("{{ m.content[0].text if m.content else '' }}" + CALLS),
    "either": template(
        "{% if m.content is string %}" + TEXT + "{% else %}{% for p in m.content or [] %}"
        "{% if p.type == 'text' %}{{ p.text }}{% else %}<picture>{% endif %}{% endfor %}{% endif %}" + CALLS
    ),
    "arguments as text": template(TEXT + CALLS.replace("c.function.arguments | tojson", "c.function.arguments + ''")),
    "nothing as None": template("{{ m.content }}" + CALLS),
    "something in results": template(each=refusing("m.role == 'tool' and not m.content")),
    "not the assistant last": template(each=refusing("loop.last and m.role == 'assistant'")),
    "an assistant at first without its role": template().replace(
        "[{{ m.role }}]", "{% if not loop.first or m.role != 'assistant' %}[{{ m.role }}]{% endif %}"
    ),
    "results by the first id": template(
        TEXT + CALLS + "{% if m.role == 'tool' %}{% set ns = namespace(name='') %}"
        "{% for o in messages %}{% for c in o.tool_calls or [] %}"
        "{% if c.id == m.tool_call_id and not ns.name %}{% set ns.name = c.function.name %}{% endif %}"
        "{% endfor %}{% endfor %} of {{ ns.name }}{% endif %}"
    ),
    "no answer after the assistant": template(
        each=refusing("loop.last and m.role == 'assistant' and add_generation_prompt")
    ),
    "the user first": template(each=refusing("loop.first and m.role == 'assistant'")),
    "tools": template(first="{% for t in tools %}<tool {{ t.function.name }}>{% endfor %}"),
    "no tools": template(TEXT, first=refusing("tools")),
    "names of speakers": template(TEXT + CALLS, each="{{ m.name }}"),
    "all in one": template(TEXT + CALLS).replace("[{{ m.role }}]", "-"),
    "reasoning": template("{{ m.reasoning_content }}" + TEXT + CALLS),
    "reasoning since the user spoke": template(
        "{% if loop.index0 > ns.last %}{{ m.reasoning }}{% endif %}" + TEXT + CALLS,
        first="{% set ns = namespace(last=0) %}{% for m in messages %}{% if m.role == 'user' %}"
        "{% set ns.last = loop.index0 %}{% endif %}{% endfor %}",
    ),
    "reasoning when thinking": template("{% if enable_thinking %}{{ m.reasoning_content }}{% endif %}" + TEXT + CALLS),
    "reasoning inside": template(
        "{{ (m.content or '').split('</think>')[-1] if loop.first else m.content or '' }}" + CALLS
    ),
    "reasoning cut off": template("{{ (m.content or '').split('</think>')[-1] }}" + CALLS),
    "texts with reasoning dropped": template(
        "{{ m.content or '' if '</think>' not in (m.content or '') else '' }}" + CALLS
    ),
}
