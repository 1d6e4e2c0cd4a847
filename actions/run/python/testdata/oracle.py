"""Runs cases under CPython: a JSON list of sources in, a JSON list of outputs out."""
import ast, io, json, sys, contextlib, textwrap

STATE = {"name": "Ada", "count": 3, "tags": ["a", "b"], "user": {"id": 7, "langs": ["go", "py"]}, "text": "Grüße, 世界! 🎉", "price": 19.99, "none": None, "flag": True}

def has_return(tree):
    todo = list(tree.body)
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Return):
            return True
        if not isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(n))
    return False

def run(src):
    out = io.StringIO()
    tail = ""
    with contextlib.redirect_stdout(out):
        try:
            scope = {"state": json.loads(json.dumps(STATE)), "__name__": "__main__"}
            if has_return(ast.parse(src)):
                exec("def main(state):\n" + textwrap.indent(src, "    ", lambda line: True), scope)
                result = scope["main"](scope["state"])
                tail = "=> " + json.dumps({} if result is None else result, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
            else:
                exec(src, scope)
        except Exception as e:
            name = type(e).__name__
            msg = str(e)
            tail = "!" + (name + ": " + msg if msg else name) + "\n"
    return out.getvalue() + tail

json.dump([run(s) for s in json.load(sys.stdin)], sys.stdout)
