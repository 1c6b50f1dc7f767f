# Installs the packages of a lock with pip: {folder with requirements.txt and wheels} {address of an index, or ""}.
# The working folder has `files`, the one place that is kept; what is passing lies there, too, as it may be large.
import importlib.util
import os
import runpy
import sys

given, index = sys.argv[1:3]
if importlib.util.find_spec("pip") is None:
    print(f"there is no pip for {sys.executable}; install it (apt install python3-pip), or set sandbox.python")
    sys.exit(3)
passing = os.path.join(os.path.realpath("files"), "tmp")
os.mkdir(passing)
os.environ["TMPDIR"] = passing


def where_it_may(call):
    """Without namespaces nobody may touch what has a name: rights and times are no loss then."""

    def done(*args, **named):
        try:
            return call(*args, **named)
        except PermissionError:
            return None

    return done


os.chmod, os.utime = where_it_may(os.chmod), where_it_may(os.utime)
# With a network nothing of a package may run, so there only wheels are taken, which are just unpacked.
source = ["--only-binary", ":all:", "--index-url", index] if index else ["--no-index"]
sys.argv = [
    "pip", "--isolated", "--no-input", "--no-color", "--disable-pip-version-check", "--no-cache-dir", "install",
    "--progress-bar", "off", "--root-user-action", "ignore", "--no-warn-script-location", "--require-hashes",
    "--target", "files/site", "--find-links", os.path.join(given, "wheels"),
    "-r", os.path.join(given, "requirements.txt"), *source,
]  # fmt: skip
sys.stdout.reconfigure(line_buffering=True)
try:
    # It tells indexes all about this machine, and looks for that where it may not.
    from pip._internal.network import session

    session.user_agent = lambda: "pip"
except ImportError:
    pass
runpy.run_module("pip", run_name="__main__", alter_sys=True)
