"""Calls the functions of a folder for a worker: lines of JSON in on stdin, lines of JSON out on stdout.

                                                                   -> {"ready": true}, when the modules are loaded
    {"id": 1, "list": true}                                        -> {"id": 1, "value": {"functions": [...], "problems": [...]}}
    {"id": 2, "kind": "edge", "name": "f", "args": [...], ...}     -> {"id": 2, "value": ...} or {"id": 2, "error": "..."}

Calls run in threads of their own, so a slow one holds up nobody. What functions print goes to stderr. The process ends
when stdin does.
"""

import asyncio
import enum
import importlib.util
import inspect
import json
import os
import sys
import threading
import typing
from pathlib import Path

KINDS = ("edge", "edge_processor", "function_calling", "termination")
# Effects of a call of a tool.
EFFECTS = ("read", "idempotent", "once")
LONGEST_DESCRIPTION = 600
LONGEST_ERROR = 10000


class Functions:
    """The functions of one folder with a folder for each kind."""

    def __init__(self, root):
        self.root = root
        self.known = {kind: {} for kind in KINDS}
        self.problems = []
        for kind in KINDS:
            folder = root / kind
            for file in sorted(folder.rglob("*.py")):
                if not file.name.startswith("_") and "__pycache__" not in file.parts:
                    self.load(kind, folder, file)

    def load(self, kind, folder, file):
        parts = file.relative_to(folder).with_suffix("").parts
        name = "millrace_functions." + ".".join((kind,) + parts)
        try:
            spec = importlib.util.spec_from_file_location(name, file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
        except BaseException as error:
            self.problems.append({"file": str(file), "message": described(error)})
            return
        for function_name, function in inspect.getmembers(module, inspect.isfunction):
            if not function_name.startswith("_") and function.__module__ == name:
                self.known[kind][function_name] = ("/".join(parts), function)

    def listed(self):
        functions = [
            dict(kind=kind, name=name, module=module, **FACTS.get(kind, no_facts)(function))
            for kind in KINDS
            for name, (module, function) in self.known[kind].items()
        ]
        return {"functions": functions, "problems": self.problems}

    def call(self, request):
        kind = request["kind"]
        _, function = self.known[kind][request["name"]]
        if kind == "edge":
            return bool(finished(function(request["text"])))
        if kind == "termination":
            told = {name: request[name] for name in ("state", "args") if takes(function, name)}
            return plain(finished(function(request["delta"], **told)))
        if kind == "edge_processor":
            return rewritten(finished(function(request["text"], context_of(request["context"]))))
        arguments = dict(request["args"])
        if takes_context(function):
            arguments["_context"] = context_of(request["context"])
        return plain(finished(function(**arguments)))


def context_of(given):
    workspace = Path(given["workspace"])
    workspace.mkdir(parents=True, exist_ok=True)
    return {
        "python_workspace_root": workspace,
        "graph_directory": workspace.parent,
        "session_id": given["run"],
        "node_id": given["node"],
        "vars": {},
    }


def finished(result):
    return asyncio.run(result) if inspect.iscoroutine(result) else result


def rewritten(result):
    """None drops the message; a mapping changes parts of it; everything else is the new text."""
    if result is None or isinstance(result, (str, dict)):
        return plain(result)
    text_of = getattr(result, "text_content", None)
    if callable(text_of):
        return {"content": text_of(), "metadata": plain(dict(getattr(result, "metadata", None) or {}))}
    return str(result)


def plain(value):
    """The value as JSON has it; what JSON has no word for is told as text."""
    return json.loads(json.dumps(value, default=str, allow_nan=False))


def described(error):
    return "{}: {}".format(type(error).__name__, error)


def takes(function, name):
    return name in inspect.signature(function).parameters


def takes_context(function):
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == "_context" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def no_facts(function):
    return {}


def termination_facts(function):
    return {"keeps_state": takes(function, "state")}


def tool_facts(function):
    doc = inspect.getdoc(function) or ""
    description = " ".join(line.strip() for line in doc.strip().split("\n\n", 1)[0].splitlines() if line.strip())
    if len(description) > LONGEST_DESCRIPTION:
        description = description[: LONGEST_DESCRIPTION - 1].rstrip() + "…"
    return {
        "description": description,
        "parameters": parameters_of(function),
        "takes_context": takes_context(function),
        "effect": effect_of(function),
    }


def effect_of(function):
    effect = getattr(function, "effect", None)
    if effect not in (None, *EFFECTS):
        raise ValueError(f"the effect of {function.__name__} is {effect!r}: write one of {', '.join(EFFECTS)}")
    return effect


def parameters_of(function):
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:
        # A hint may name what is not there at run time; the parameter is then a text.
        hints = {}
    properties, required = {}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name.startswith("_") or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        schema, optional = schema_of(hints.get(parameter.name, str))
        if parameter.default is not parameter.empty:
            default = parameter.default.value if isinstance(parameter.default, enum.Enum) else parameter.default
            if is_plain(default):
                schema["default"] = default
            if default is None and not optional:
                schema = nullable(schema)
        elif not optional:
            required.append(parameter.name)
        properties[parameter.name] = schema
    return dict({"type": "object", "properties": properties}, **({"required": required} if required else {}))


def schema_of(hint):
    """The JSON Schema of a type hint, and whether it may be None."""
    facts = ()
    if hasattr(hint, "__metadata__"):
        hint, facts = hint.__origin__, hint.__metadata__
    options = [option for option in typing.get_args(hint) if option is not type(None)]
    optional = is_union(hint) and len(options) < len(typing.get_args(hint))
    if optional and len(options) == 1:
        hint = options[0]
    schema = plain_schema(hint)
    for fact in facts:
        if getattr(fact, "description", None):
            schema["description"] = fact.description
        if getattr(fact, "enum", None):
            schema = dict(schema, **literals(list(fact.enum)))
    return (nullable(schema) if optional else schema), optional


def plain_schema(hint):
    origin = typing.get_origin(hint) or hint
    arguments = typing.get_args(hint)
    if origin is typing.Literal:
        return literals(list(arguments))
    if isinstance(origin, type):
        if issubclass(origin, enum.Enum):
            return literals([member.value for member in origin])
        if issubclass(origin, bool):
            return {"type": "boolean"}
        if issubclass(origin, int):
            return {"type": "integer"}
        if issubclass(origin, float):
            return {"type": "number"}
        if issubclass(origin, dict) or origin.__name__ in ("Mapping", "MutableMapping"):
            return {"type": "object"}
        if issubclass(origin, (list, tuple, set)) or origin.__name__ in ("Sequence", "MutableSequence"):
            return {"type": "array", "items": plain_schema(arguments[0]) if arguments else {"type": "string"}}
    return {"type": "string"}


def is_union(hint):
    origin = typing.get_origin(hint)
    return origin is typing.Union or getattr(origin, "__name__", "") == "UnionType"


def nullable(schema):
    kept = {key: schema.pop(key) for key in ("description", "default") if key in schema}
    return dict({"anyOf": [schema, {"type": "null"}]}, **kept)


def literals(values):
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    types = {type(value) for value in values}
    kind = names.get(types.pop()) if len(types) == 1 else None
    return dict({"enum": values}, **({"type": kind} if kind else {}))


def is_plain(value):
    try:
        json.dumps(value, allow_nan=False)
        return True
    except (TypeError, ValueError):
        return False


FACTS = {"function_calling": tool_facts, "termination": termination_facts}


def main():
    # What functions and their programs read and print must not get between the lines of the worker.
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    turn = threading.Lock()
    root = Path(sys.argv[1]).resolve()
    # The worker ends a process that sends more; ASCII has one byte a character.
    largest = int(sys.argv[2])
    # Functions import each other as `functions.…` from the folder around, or from their own folder.
    sys.path[:0] = [str(root.parent), str(root)]
    functions = Functions(root)

    def answer(request):
        try:
            told = {"id": request["id"], "value": functions.listed() if request.get("list") else functions.call(request)}
        except BaseException as error:
            told = {"id": request["id"], "error": (str(error) or type(error).__name__)[:LONGEST_ERROR]}
        line = json.dumps(told)
        if len(line) >= largest:
            error = "the result has {} bytes as JSON; at most {} are allowed".format(len(line), largest)
            line = json.dumps({"id": request["id"], "error": error})
        with turn:
            out.write(line + "\n")
            out.flush()

    with turn:
        out.write(json.dumps({"ready": True}) + "\n")
        out.flush()
    for line in requests:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


main()
