# Runs the code of an agent. Standard input holds {code, inputs, outputs, limit} as JSON; one JSON object
# is the answer, on a descriptor that the code's prints do not reach. It imports next to nothing: a start
# costs what it imports.
import posix
import sys

try:
    from _json import encode_basestring_ascii as quote, make_scanner
except ImportError:
    from json.encoder import py_encode_basestring_ascii as quote

    make_scanner = None

# The folders of packages that were made for the agent.
packages = sys.argv[1:]
del sys.argv[1:]
sys.path.extend(packages)
AGENT = "<agent>"
DEEPEST = 100
begun = posix.getpid()
answers = posix.dup(1)
posix.dup2(2, 1)
sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")


class Fault(Exception):
    def __init__(self, code, message, **more):
        self.told = {"code": code, "message": message, **more}


class Libraries:
    """Where installed libraries lie is looked up when one is first asked for."""

    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        import site

        site.main()
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


def read_request():
    parts = []
    while part := posix.read(0, 1 << 20):
        parts.append(part)
    nothing = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(nothing, 0)
    posix.close(nothing)
    text = b"".join(parts).decode()
    if make_scanner is None:
        import json

        return json.loads(text)

    class Kinds:
        strict, memo = False, {}
        object_hook = object_pairs_hook = None
        parse_float, parse_int, parse_constant = float, int, float

    return make_scanner(Kinds())(text, 0)[0]


def kind_of(value):
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def quoted(text, name):
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Fault("not_json", f"`{name}` holds half of a character (a lone surrogate), which is no text")
    return quote(text)


class Writer:
    """Values as JSON, each judged by name and type on its way."""

    def __init__(self, limit):
        self.parts, self.room, self.limit = [], limit, limit

    def add(self, part):
        self.room -= len(part)
        if self.room < 0:
            raise Fault("output_limit", f"the outputs are larger than {self.limit} bytes")
        self.parts.append(part)

    def write(self, value, name, depth=0):
        if depth > DEEPEST:
            raise Fault("not_json", f"`{name}` goes deeper than {DEEPEST} levels, or holds itself")
        if value is None or value is True or value is False:
            self.add({None: "null", True: "true", False: "false"}[value])
        elif isinstance(value, str):
            self.add(quoted(value, name))
        elif isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 64:
                raise Fault("not_json", f"`{name}` is a number of more than 64 bits; make it text with str()")
            self.add(int.__repr__(value))
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise Fault("not_json", f"`{name}` is {value!r}, which is no number in JSON; use None, or text")
            self.add(float.__repr__(value))
        elif isinstance(value, dict):
            self.write_map(value, name, depth)
        elif isinstance(value, (list, tuple)):
            for place, item in enumerate(value):
                self.add("," if place else "[")
                self.write(item, f"{name}[{place}]", depth + 1)
            self.add("]" if value else "[]")
        else:
            raise Fault(
                "not_json",
                f"`{name}` is of the type {kind_of(value)}, which is no JSON; make it text, a number, "
                "true or false, None, a list or a map",
            )

    def write_map(self, value, name, depth):
        first = True
        for key, item in value.items():
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise Fault("not_json", f"`{name}` has a key of the type {kind_of(key)}; keys are text")
            self.add("{" if first else ",")
            self.add(quoted(str(key), name) + ":")
            self.write(item, f"{name}.{key}", depth + 1)
            first = False
        self.add("{}" if first else "}")


def builtins_of_agents():
    import builtins

    kept = dict(vars(builtins))
    instead = {
        "input": "nobody answers here; declare an input",
        "breakpoint": "nobody answers here; print what you want to know",
        "exit": "assign `result`; the code ends at its end",
        "quit": "assign `result`; the code ends at its end",
        "help": "nobody reads here; print what you want to know",
    }

    def refused(name, why):
        def refuse(*_args, **_named):
            raise RuntimeError(f"{name}() is not to be had in the sandbox: {why}")

        return refuse

    kept.update((name, refused(name, why)) for name, why in instead.items())
    return kept


def variables(space, given):
    kept = ((n, v) for n, v in space.items() if not n.startswith("_") and n != "context" and n not in given)
    told = [f"{name} ({kind_of(value)})" for name, value in kept if kind_of(value) != "module"]
    return ", ".join(told[:50]) + (", …" if len(told) > 50 else "")


def collect(space, inputs, outputs):
    """The outputs are the keys of `result` if it is a map, else the variables of the outputs' names; one
    output and a `result` that is no map: that output. Whether one may be lacking is not for us to say."""
    names = [name for name in outputs if not name.startswith("_")]
    missing = object()
    result = space.get("result", missing)
    if "result" in inputs and result is inputs["result"]:
        result = missing
    if result is missing:
        found = space
    elif isinstance(result, dict):
        found = result
    elif len(names) == 1:
        return {names[0]: result}
    elif not names:
        return {}
    else:
        hint = f"`result` is of the type {kind_of(result)}; with {len(names)} outputs it must be a map with the keys "
        raise Fault("no_result", "", hint=hint + ", ".join(names), variables=variables(space, inputs))
    given = {name: found[name] for name in names if name in found}
    if names and not given:
        hint = "assign `result`, or a variable of each output's name: " + ", ".join(names)
        if result is not missing:
            hint = "`result` has none of the keys " + ", ".join(names)
        raise Fault("no_result", "", hint=hint, variables=variables(space, inputs))
    return given


def said(error):
    try:
        return str(error)[:4000]
    except BaseException:
        return "(it cannot be told)"


def hint_for(error, trace):
    if isinstance(error, OSError):
        if error.errno in (27, 28):
            return "scratch_limit", ""
        if error.errno == 11:
            return "process_limit", ""
    if isinstance(error, MemoryError):
        return "memory_limit", ""
    if isinstance(error, RuntimeError) and said(error) == "can't start new thread":
        return "process_limit", ""
    files = {frame.f_code.co_filename.rpartition("/")[2] for frame, _ in trace}
    if isinstance(error, OSError) and files & {"socket.py", "ssl.py", "request.py", "client.py"}:
        return "exception", "the sandbox has no network; let another agent fetch it and give it as an input"
    if isinstance(error, OSError) and error.errno in (1, 13, 30) and error.filename is not None:
        return "exception", "only the working folder may be written, and little else read"
    return "exception", ""


def for_people(error):
    """What the author of the code says to people: `raise ValueError({"uk": …, "en": …})`."""
    said = error.args[0] if len(error.args) == 1 else None
    if type(said) is not dict or set(said) != {"uk", "en"}:
        return {}
    return {tongue: text[:4000] for tongue, text in said.items() if type(text) is str}


def told(error, code):
    trace, step = [], error.__traceback__
    while step is not None:
        trace.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    lines = code.splitlines()
    shown = []
    for frame, number in trace:
        if frame.f_code.co_filename == AGENT:
            text = lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""
            name = frame.f_code.co_name
            shown.append(f"line {number}{'' if name == '<module>' else ', in ' + name}: {text}")
    if isinstance(error, SyntaxError) and error.filename == AGENT and error.lineno:
        shown.append(f"line {error.lineno}: {(error.text or '').strip()[:200]}")
    word, hint = hint_for(error, trace)
    people = for_people(error)
    message = error.msg if isinstance(error, SyntaxError) and error.msg else people.get("en") or said(error)
    facts = {"code": word, "kind": kind_of(error), "message": message, "hint": hint}
    return {**facts, "traceback": "\n".join(shown[-30:]), **people}


def import_first(tree, space):
    """What the code imports at its top, before anything else of it."""
    import _ast

    def brings(node):
        return isinstance(node, _ast.Import) or isinstance(node, _ast.ImportFrom) and node.module != "__future__"

    wanted = [node for node in tree.body if brings(node)]
    try:
        exec(compile(_ast.Module(wanted, []), AGENT, "exec", 0, True), space)
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        hint = "correct the name" if library in sys.stdlib_module_names else (
            f"add it to the lock of the agent's `build.pip`, with its hash" if packages else
            f"install it for {sys.executable} (pip install {library}, or the system's package "
            f"python3-{library.lower()}), or set sandbox.python to a Python that has it"
        )
        raise Fault("missing_library", said(error), kind=kind_of(error), hint=hint)


def run(request):
    inputs, code = request["inputs"], request["code"]
    main = sys.modules["__main__"] = type(sys)("__main__")
    space = vars(main)
    space.update({"__builtins__": builtins_of_agents(), "context": dict(inputs), **inputs})
    try:
        tree = compile(code, AGENT, "exec", 0x400, True)
        import_first(tree, space)
        exec(compile(code, AGENT, "exec", 0, True), space)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise Fault("exception", said(end), kind="SystemExit", traceback="", hint="assign `result` instead")
    writer = Writer(request["limit"])
    for name, value in collect(space, inputs, request["outputs"]).items():
        writer.add(("," if writer.parts else "{") + quote(name) + ":")
        writer.write(value, name)
    return [*(writer.parts or "{"), "}"]


def answer():
    sys.meta_path.append(Libraries())
    request = read_request()
    try:
        parts = ['{"vars":', *run(request), "}"]
    except BaseException as error:
        facts = error.told if isinstance(error, Fault) else told(error, request["code"])
        writer = Writer(1 << 20)
        writer.write({key: text.encode(errors="replace").decode() for key, text in facts.items()}, "fault")
        parts = ['{"fault":', *writer.parts, "}"]
    if posix.getpid() != begun:
        posix._exit(0)  # a fork that ran on to here: the answer is its parent's to give
    left = memoryview("".join(parts).encode())
    while left:
        left = left[posix.write(answers, left):]
    posix.close(answers)


answer()
