"""Harmless options and operands of well-known programs: a rule for the program covers them unnamed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from acp_tui.lazy_regex import regex
from acp_tui.rules.shell import Word

_ANY: Final = r"(?s:.*)"
_FILES: Final = r"(?!@)(?s:.*)"
"""Operands of programs that read more arguments from `@FILE`."""
_HERE: Final = "here"
"""Stands for paths in the workspace, for programs that run what is in them."""
_NONE: Final = ""


_MAY_LEAVE: Final = regex(r"[{}]|(?:^|/)\.[^/]*[?*\[]")
"""Words that a shell may expand to `..`: `.?`, `.*`, `{..,x}`."""


class Program(NamedTuple):
    """The harmless words of a program; a rule must name all others."""

    letters: str = ""
    """Options of one letter without a value."""
    names: str = ""
    """Other options. `x=` takes a value, `x?` may take one in the same word; a pattern for it may follow."""
    operands: str = _NONE
    """A pattern for its operands."""
    first: str = ""
    """A pattern for its first operand, if that is code."""
    behind: str = ""
    """Options, written as in `names`, that are allowed after `--`."""
    is_single: bool = False
    """True if long names may follow a single dash."""
    has_numbers: bool = False
    """True if a number may be an option (`-5`)."""
    is_of_all: bool = True
    """True if a rule that names only the program also covers this subcommand."""
    most: int = 1_000
    """The largest number of operands."""
    needs_operand: bool = False
    """True if operands are allowed only after one that the rule names."""
    only_prints: bool = False
    """True if the program only prints its arguments."""


_DIFF: Final = (
    "stat? shortstat numstat name-only name-status patch cached staged summary color? no-color word-diff? "
    "word-diff-regex= unified= U= ignore-all-space ignore-space-change ignore-blank-lines diff-filter= S= G= "
    "ignore-space-at-eol pickaxe-regex pickaxe-all find-renames? find-copies? no-renames minimal histogram "
    "patience diff-algorithm= check quiet exit-code relative? merge-base no-ext-diff no-textconv full-index "
    "binary abbrev? inter-hunk-context= function-context text raw no-prefix patch-with-stat compact-summary "
    "dirstat? cc root stat-width= M? C? B?"
)
_LOG: Final = (
    f"{_DIFF} oneline graph all decorate? no-decorate format= pretty? n= max-count= skip= since= until= "
    "after= before= author= committer= grep= follow branches? tags? remotes? reverse merges no-merges "
    "first-parent abbrev-commit date= left-right cherry cherry-pick topo-order date-order regexp-ignore-case "
    "extended-regexp fixed-strings invert-grep all-match L= simplify-by-decoration full-history source "
    "children parents boundary count walk-reflogs cherry-mark show-pulls"
)
_BRANCH: Final = r"[A-Za-z0-9_@][\w./@-]*"
_GREP: Final = (
    r"e= A=\d+ B=\d+ C=\d+ m=\d+ include= exclude= exclude-dir= color? colour? context= "
    r"after-context= before-context= "
    "max-count= regexp= extended-regexp fixed-strings perl-regexp basic-regexp ignore-case no-ignore-case "
    "invert-match word-regexp line-regexp count files-with-matches files-without-match only-matching quiet "
    "silent no-messages line-number with-filename no-filename recursive dereference-recursive null text "
    "byte-offset binary-files= line-buffered initial-tab label= null-data"
)
_CARGO: Final = (
    r"release all all-targets all-features no-default-features features= F= p= package= "
    r"workspace exclude= lib "
    r"bins bin= tests test= examples example= doc locked offline frozen no-run no-fail-fast verbose quiet "
    r"jobs=\d+ j=\d+ keep-going message-format= profile=\w+ color= target=[\w-]+ no-deps check all-packages"
)
_GO: Final = (
    r"v race short count= run= skip= bench= benchtime= benchmem cover covermode= parallel= p= "
    r"timeout= failfast "
    r"json tags=[\w,.]* shuffle= list= cpu= x n a trimpath"
)
_PYTEST: Final = (
    r"k= m= n=\w+ r= p=no:[\w.]+ tb= lf last-failed ff failed-first nf new-first sw stepwise co collect-only "
    r"maxfail= durations= durations-min= exitfirst verbose quiet capture= no-header no-summary color= no-cov "
    r"cov? cov-report=term(?:-missing)?(?::skip-covered)? cov-branch timeout= dist= numprocesses=\w+ "
    r"strict-markers strict-config disable-warnings disable-pytest-warnings ignore= deselect= showlocals "
    r"setup-show fixtures markers version runxfail reruns= count= asyncio-mode= full-trace no-showlocals"
)
_SED: Final = (
    r"(?:(?:\d+|\$|/[\w\x20.:-]*/)(?:,(?:\d+|\$|\+\d+|/[\w\x20.:-]*/))?)?"
    r"(?:!?[pdq=]|s/[^/\\\n;]*/[^/\\\n;]*/[gIip\d]*|s\|[^|\\\n;]*\|[^|\\\n;]*\|[gIip\d]*)"
)
"""A sed script that prints, deletes or replaces lines, and nothing else."""
_AWK: Final = r"(?:/[\w .:-]+/ *)?\{ *print(?: *\$(?:\d+|NF)(?: *, *\$(?:\d+|NF))*)? *\}|\d+|NR *[<>=]=? *\d+"
"""An awk script that prints fields or lines."""
_SCRIPT: Final = r"[\w.:/][\w.:/@-]*"
_URL: Final = r"(?:https?://)?[\w.-]+(?::\d+)?(?:[/?#](?s:.*))?"
_PS: Final = "format= f= filter= no-trunc all quiet size last= n="

PROGRAMS: Final[dict[str, Program]] = {
    "ls": Program(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "all almost-all human-readable recursive reverse size inode color? time-style= sort= time= full-time "
        "group-directories-first directory classify? si ignore= hide= numeric-uid-gid "
        "dereference width= w= I=",
        _ANY,
    ),
    "cat": Program(
        "AbeEnstTuv",
        "number number-nonblank show-all show-ends show-tabs squeeze-blank show-nonprinting",
        _ANY,
    ),
    "head": Program("qvz", "n= c= lines= bytes= quiet silent verbose", _ANY, has_numbers=True),
    "tail": Program(
        "fFqvz", "n= c= lines= bytes= follow? s= retry pid= quiet silent verbose", _ANY, has_numbers=True
    ),
    "wc": Program("clmwL", "lines words bytes chars max-line-length total=", _ANY),
    "grep egrep fgrep": Program("aEFGhHiIlLnoPqrRsUvVwxyzZcTb", _GREP, _ANY, has_numbers=True),
    "rg ripgrep": Program(
        "acFHiIlLnNopPqsSuUvVwx0.",
        r"e= g= t= T= A=\d+ B=\d+ C=\d+ m=\d+ M=\d+ j=\d+ d=\d+ r= iglob= glob= type= type-not= "
        r"type-list files files-with-matches "
        "files-without-match count count-matches context= after-context= before-context= "
        "max-count= max-depth= "
        "max-columns= hidden no-ignore no-ignore-vcs follow fixed-strings ignore-case smart-case "
        "case-sensitive invert-match word-regexp line-regexp line-number no-line-number column no-heading "
        "heading color= json only-matching replace= pretty quiet multiline multiline-dotall pcre2 sort= "
        "sortr= stats text trim unrestricted vimgrep with-filename no-filename no-messages null passthru "
        "threads= max-filesize= regexp= one-file-system",
        _ANY,
    ),
    "find": Program(
        "HLP",
        "name= iname= path= ipath= wholename= regex= iregex= regextype= type= xtype= maxdepth= "
        "mindepth= size= "
        "mtime= mmin= atime= amin= ctime= cmin= newer= newermt= perm= user= group= links= empty print print0 "
        "printf= ls prune not o or a and depth xdev mount readable writable executable follow "
        "true false quit "
        "daystart lname= ilname= inum= samefile= noleaf",
        _ANY,
        is_single=True,
    ),
    "fd fdfind": Program(
        "HIsigFpaL0",
        "t= e= d= E= type= extension= max-depth= min-depth= hidden no-ignore glob exclude= full-path "
        "absolute-path follow ignore-case case-sensitive fixed-strings color= size= changed-within=",
        _ANY,
    ),
    "tree": Program(
        "adfipsugDhFrtCnA", "L= I= P= dirsfirst gitignore noreport prune filelimit= charset= du", _ANY
    ),
    "stat": Program("Lft", "c= printf= format= dereference file-system terse", _ANY),
    "file": Program("biLkrhp0N", "brief mime mime-type mime-encoding dereference", _ANY),
    "pwd": Program("LP"),
    "cd chdir pushd": Program("LP", "", _ANY),
    "true false :": Program("", "", _ANY),
    "whoami tty arch nproc": Program(),
    "which type": Program("a", "", _ANY),
    "uname": Program("asnrvmpio", "all"),
    "id groups": Program("ugGnr", "", _ANY),
    "date": Program("uR", "I? d= iso-8601? date= utc rfc-3339= rfc-2822 r=", r"\+(?s:.*)"),
    "sleep": Program("", "", r"[\d.]+[smhd]?"),
    "du": Program(
        "abchHkmsSxlL", "d= max-depth= human-readable summarize total apparent-size exclude= all", _ANY
    ),
    "df": Program("ahHiklPT", "human-readable total inodes type= t=", _ANY),
    "free": Program("bkmghtw"),
    "ps": Program("aAefuxwl", "o= p= u= C= forest sort= no-headers pid= ppid=", _ANY),
    "diff": Program(
        "abBcdeiENpqrsTtuwy",
        "U= C= W= I= x= unified? context? brief recursive ignore-all-space ignore-space-change "
        "ignore-blank-lines ignore-case color? side-by-side width= exclude= new-file text strip-trailing-cr "
        "minimal label= suppress-common-lines",
        _ANY,
    ),
    "cmp": Program("bls", "n= i= silent quiet verbose", _ANY),
    "comm": Program("123z", "", _ANY),
    "sort": Program(
        "bdfgiMhnRrVcCmsuz",
        "k= t= numeric-sort reverse unique key= field-separator= human-numeric-sort version-sort ignore-case "
        "stable check? sort= zero-terminated general-numeric-sort month-sort dictionary-order random-sort "
        "ignore-leading-blanks",
        _ANY,
    ),
    "uniq": Program(
        "cdDiuz",
        "f= s= w= count repeated unique ignore-case skip-fields= skip-chars= check-chars=",
        _ANY,
        most=1,
    ),
    "xxd": Program("", "", _ANY, most=1),
    "cut": Program(
        "snz",
        "d= f= c= b= delimiter= fields= characters= bytes= complement output-delimiter= only-delimited",
        _ANY,
    ),
    "tr": Program("cdsCt", "delete squeeze-repeats complement truncate-set1", _ANY),
    "nl": Program("p", "b= n= w= s= v= i= d= f= h=", _ANY),
    "tac rev": Program("", "", _ANY),
    "column": Program("tnx", "s= c= o= N= R= table separator=", _ANY),
    "paste": Program("sz", "d= delimiters= serial", _ANY),
    "basename": Program("az", "s= suffix= multiple", _ANY),
    "dirname": Program("z", "", _ANY),
    "realpath": Program("esLPmqz", "relative-to= relative-base=", _ANY),
    "readlink": Program("femnqsvz", "canonicalize", _ANY),
    "md5sum sha1sum sha256sum sha512sum cksum b2sum": Program("bctwz", "check quiet status", _ANY),
    "echo": Program(only_prints=True),
    "printf": Program("", "", r"[^$`]*", r"(?s:(?:[^%]|%(?![-+ #0'\d.*hlLjzt]*n))*)"),
    "test [": Program("fdeznrwxsLhS", "eq= ne= lt= gt= le= ge= nt= ot= o a", r"[^$`]*", is_single=True),
    "mkdir": Program("pv", "parents verbose mode= m=", _ANY),
    "rmdir": Program("pv", "parents verbose", _ANY),
    "touch": Program("acm", "d= t= r= no-create date= reference=", _ANY),
    "cp": Program("afinpPrRuvLdT", "recursive archive force no-clobber update verbose preserve?", _ANY),
    "mv": Program("finuvT", "force no-clobber update verbose", _ANY),
    "rm": Program("dfiIv", "force verbose dir", _ANY),
    "ln": Program("sfnvrT", "symbolic force verbose relative", _ANY),
    "chmod": Program("vcf", "verbose changes", _ANY),
    "tee": Program("a", "append", _ANY),
    "sed gsed": Program(
        "nErsuz",
        f"e={_SED} expression={_SED} quiet silent regexp-extended null-data",
        _ANY,
        _SED,
    ),
    "awk gawk mawk nawk": Program("", r"F= field-separator=", r"[^=@+]*", _AWK),
    "jq": Program(
        "rcensSRMCaj",
        "indent= tab raw-output compact-output null-input slurp sort-keys exit-status raw-input join-output "
        "color-output monochrome-output ascii-output",
        _ANY,
    ),
    "less more": Program("NRSFXine", "", r"(?!\+)(?s:.*)"),
    "man": Program("kfaw", "", r"[A-Za-z0-9_][A-Za-z0-9_.:+-]*"),
    "tar gtar bsdtar": Program(
        "tvzjJ",
        "f=[^:]* list file=[^:]* verbose gzip exclude= strip-components= wildcards",
        r"[^:]*",
        r"[zjJv]*t[vzjJ]*f[vzjJ]*",
    ),
    "unzip": Program("lvtqZ", "", _ANY, most=1),
    "curl": Program(
        "sSfLkviIg46#",
        r"m= X=(?:GET|HEAD|OPTIONS) H=[^@].* max-time= connect-timeout= retry= request=(?:GET|HEAD|OPTIONS) "
        r"silent show-error fail location head include insecure verbose compressed header=[^@].* "
        r"user-agent= A= "
        r"http1.1 http2 no-progress-meter o=/dev/null output=/dev/null w=(?!@)(?:(?!%output)[\s\S])* "
        r"write-out=(?!@)(?:(?!%output)[\s\S])*",
        _URL,
    ),
    "wget": Program(
        "qSv46", "O=(?:-|/dev/null) output-document=(?:-|/dev/null) spider quiet timeout= tries= T= t=", _URL
    ),
    "pytest py.test": Program("qxvslhV", _PYTEST, _HERE),
    "unittest": Program("vqfbc", "k= verbose quiet failfast buffer catch locals", r"[\w.]+"),
    "ruff check": Program(
        "qvs",
        "fix diff select= ignore= extend-select= extend-ignore= output-format= no-cache "
        "statistics line-length= "
        "target-version= quiet verbose silent preview show-fixes exit-zero unsafe-fixes no-fix exclude=",
        _FILES,
    ),
    "ruff format": Program(
        "qv", "check diff quiet verbose line-length= target-version= preview no-cache exclude=", _FILES
    ),
    "mypy": Program(
        "v",
        r"strict ignore-missing-imports no-error-summary show-error-codes pretty no-incremental "
        r"explicit-package-bases namespace-packages follow-imports= python-version= show-column-numbers "
        r"no-color-output check-untyped-defs disallow-untyped-defs warn-unused-ignores warn-return-any "
        r"p=[\w.]+ m=[\w.]+ package=[\w.]+ module=[\w.]+ exclude= cache-dir=/dev/null show-error-context",
        _FILES,
    ),
    "pyright basedpyright": Program("", "outputjson stats verbose warnings", _FILES),
    "black": Program("qvS", "check diff quiet verbose l= line-length= t= target-version= color", _FILES),
    "isort": Program("cqv", "check check-only diff quiet profile=", _FILES),
    "flake8 pyflakes pycodestyle": Program("qv", "select= ignore= max-line-length= count statistics", _FILES),
    "eslint": Program("", "fix ext= quiet max-warnings= cache no-color color", _HERE),
    "prettier": Program("cwlu", "check write list-different ignore-unknown", _HERE),
    "tsc": Program("", "noEmit pretty skipLibCheck strict", _HERE),
    "jest vitest mocha": Program(
        "itbu", "t= runInBand verbose silent bail coverage run no-coverage testNamePattern=", _HERE
    ),
    "npm test|npm t|pnpm test|yarn test": Program("s", "silent", _SCRIPT),
    "npm run|npm run-script|pnpm run|yarn run": Program("s", "silent if-present", _SCRIPT),
    "npm ls|npm list|npm outdated|npm view|npm why": Program("la", "depth= all long json", r"[\w./@-]+"),
    "bun test": Program("t", "t= bail? timeout= coverage", _HERE),
    "go test|go build|go vet": Program("", _GO, _HERE, is_single=True),
    "go fmt": Program("xn", "", _HERE),
    "go list": Program("", "m json f= deps e u versions test find", _FILES, is_single=True),
    "go version|go env": Program("", "", r"[A-Z0-9_]+"),
    "gofmt": Program("ldse", "", _FILES),
    "cargo test|cargo bench|cargo nextest": Program(
        "qvr",
        _CARGO,
        r"[\w:]+",
        behind=r"nocapture ignored include-ignored exact test-threads=\d+ show-output skip= list",
    ),
    "cargo build|cargo check|cargo doc": Program("qvr", _CARGO),
    "cargo clippy": Program("qvr", _CARGO, behind=r"D=[\w:-]+ W=[\w:-]+ A=[\w:-]+ F=[\w:-]+"),
    "cargo fmt": Program("qv", "check all p= package= quiet verbose", behind="check"),
    "cargo tree|cargo metadata": Program("ei", "p= depth= no-deps format-version=1 i= e="),
    "make gmake": Program("kBsiw", r"j?\d* jobs?\d* keep-going silent always-make no-print-directory"),
    "docker ps|docker images|docker container ls|docker image ls|podman ps|podman images": Program(
        "aqls", _PS, r"[\w./:-]+"
    ),
    "docker logs|docker compose logs|podman logs": Program(
        "ft", "tail= since= n= until= timestamps details follow no-color", r"[\w.-]+"
    ),
    "docker inspect|podman inspect": Program("s", "f= format= type= size", r"[\w./:-]+"),
    "docker compose ps|docker version|docker info": Program("aq", _PS, r"[\w.-]+"),
    "kubectl get|kubectl describe": Program(
        "Aw",
        "n= o=(?:wide|json|yaml|name) l= namespace= all-namespaces output=(?:wide|json|yaml|name) selector= "
        "watch show-labels sort-by=",
        r"[\w./,-]+",
    ),
    "kubectl logs": Program(
        "fp", "n= c= l= tail= since= namespace= container= timestamps follow", r"[\w./-]+"
    ),
    "git status": Program(
        "sbvz",
        "short branch porcelain? long show-stash ignored? untracked-files? ahead-behind verbose u?",
        _ANY,
    ),
    "git diff": Program("puswbaRzW", _DIFF, _ANY, has_numbers=False),
    "git log|git show|git rev-list|git reflog show|git stash list|git stash show|git whatchanged": Program(
        "puswbaRzWiEFgmc", _LOG, _ANY, has_numbers=True
    ),
    "git branch": Program(
        "avrl",
        "all remotes list show-current contains= no-contains= merged? no-merged? verbose format= sort= "
        "points-at= color? no-color",
        _BRANCH,
    ),
    "git reflog": Program("", "oneline n= max-count= all date= format=", has_numbers=True),
    "git blame": Program(
        "wfnlsetpc", "L= M? C? date= porcelain line-porcelain show-email since= root abbrev=", _ANY
    ),
    "git ls-files": Program(
        "cdmostikuvz",
        "others exclude-standard cached modified deleted stage full-name error-unmatch x= exclude= eol",
        _ANY,
    ),
    "git ls-tree": Program("rtdlz", "name-only full-tree full-name abbrev? long name-status", _ANY),
    "git grep": Program(
        "ivnlLcwEFGPhHaIoqpWrz",
        r"e= A=\d+ B=\d+ C=\d+ m=\d+ and or not all-match heading break cached untracked "
        r"name-only count line-number "
        "ignore-case extended-regexp fixed-strings perl-regexp word-regexp files-with-matches show-function "
        "function-context max-depth= context= color? no-color invert-match only-matching",
        _ANY,
        has_numbers=True,
    ),
    "git rev-parse": Program(
        "q",
        "short? abbrev-ref? show-toplevel verify is-inside-work-tree git-dir git-common-dir "
        "symbolic-full-name show-prefix quiet all branches? tags? remotes? show-cdup absolute-git-dir "
        "is-bare-repository",
        _ANY,
    ),
    "git tag": Program("l", r"list contains= sort= points-at= merged? format= n?\d*", _BRANCH),
    "git remote": Program("v", "verbose"),
    "git remote get-url": Program("", "all push", _BRANCH),
    "git describe": Program(
        "", "tags all always dirty? abbrev= long match= exclude= contains first-parent exact-match", _ANY
    ),
    "git shortlog": Program("sne", "summary numbered email since= until= all no-merges", _ANY),
    "git cat-file": Program("pte", "", _ANY),
    "git merge-base": Program("", "all is-ancestor fork-point octopus", _ANY),
    "git show-ref|git name-rev|git show-branch": Program("", "heads tags name-only all verify hash", _ANY),
    "git for-each-ref": Program("", "format= sort= count= contains= merged? points-at=", _ANY),
    "git config": Program(
        "lz", "get= get-all= get-regexp= list show-origin show-scope name-only global local system"
    ),
    "git worktree list|git submodule status|git version|git check-ignore": Program("vq", "porcelain", _ANY),
    "git add": Program("AuNvn", "all update verbose dry-run intent-to-add no-all", _ANY, is_of_all=False),
    "git commit": Program(
        "avqs",
        "m= message= all amend no-edit signoff quiet verbose allow-empty author= date= fixup= dry-run",
        _ANY,
        is_of_all=False,
    ),
    "git checkout|git switch": Program(
        "q", "b= c= create= quiet detach track no-guess", _ANY, is_of_all=False
    ),
    "git restore": Program("SWq", "staged worktree s= source= quiet", _ANY, is_of_all=False),
    "git stash|git stash push|git stash pop|git stash apply": Program(
        "uq", "m= message= include-untracked quiet keep-index index", r"stash@\{\d+\}", is_of_all=False
    ),
    "git fetch": Program(
        "pqtv", r"all prune tags quiet depth=\d+ verbose dry-run prune-tags", _BRANCH, is_of_all=False
    ),
    "git pull": Program(
        "qv", "rebase ff-only no-rebase quiet verbose ff no-ff autostash prune", is_of_all=False
    ),
    "git push": Program(
        "uvq",
        "set-upstream tags dry-run quiet verbose follow-tags",
        _BRANCH,
        is_of_all=False,
        needs_operand=True,
    ),
    "git merge|git rebase|git cherry-pick|git revert": Program(
        "qv", "no-ff ff-only ff abort continue no-edit no-commit squash quit skip", _BRANCH, is_of_all=False
    ),
    "git reset|git rm|git mv": Program("q", "quiet cached soft mixed", _ANY, is_of_all=False),
}
"""By program and subcommand: `a b` are two programs, `a b|a c` two subcommands of `a`."""


def _keys(text: str) -> list[tuple[str, ...]]:
    """Return the keys of an entry."""
    words = text.split()
    if "|" in text or (len(words) > 1 and words[0] in _OF_MANY):
        return [tuple(one.split()) for one in text.split("|")]
    return [(word,) for word in words]


_OF_MANY: Final = frozenset(
    {
        *("git", "npm", "pnpm", "yarn", "bun", "go", "cargo", "docker", "podman", "kubectl", "ruff", "helm"),
        *("gh", "glab", "terraform", "tofu", "svn", "hg", "jj", "apt", "apt-get", "dnf", "yum", "brew"),
        *("pip", "pip3", "pipx", "uv", "poetry", "pdm", "hatch", "pipenv", "conda", "mamba", "pixi", "rye"),
        *("systemctl", "aws", "gcloud", "az", "heroku", "flyctl", "fly", "vercel", "netlify", "firebase"),
        *("rustup", "dotnet", "bundle", "composer", "gem", "mix", "stack", "cabal", "zig", "swift", "deno"),
        *("flutter", "dart", "nix", "vagrant", "mise", "asdf", "direnv", "tmux"),
        *("adb", "ip", "perf", "wrangler"),
        *("openssl", "sam", "serverless", "pulumi", "nx", "turbo", "lerna", "rails"),
        *("php-artisan", "symfony"),
    }
)
"""Programs whose first operand is a subcommand."""
_STARTING: Final = frozenset(
    {
        *("run", "exec", "x", "dlx", "alias", "shell", "eval", "call", "tool", "ssh"),
        *("attach", "debug", "develop"),
        *("config", "set", "hook", "hooks", "env", "script", "scripts", "develop"),
        *("repl", "extension", "plugin"),
        *("create", "init", "generate", "new", "send-keys", "netns", "record", "stat", "trace", "cp", "api"),
    }
)
"""Subcommands whose operands are programs, code, or settings that name programs."""
_NEVER: Final = frozenset(
    {
        *("sudo", "doas", "su", "env", "command", "builtin", "exec", "eval", "nohup"),
        *("setsid", "time", "timeout"),
        *("nice", "xargs", "!", "busybox", "toybox", "ssh", "scp", "sftp", "rsync"),
        *("script", "watch", "parallel"),
        *("coproc", "entr", "pkexec", "runuser", "chroot", "unshare", "nsenter"),
        *("setpriv", "fakeroot", "bwrap"),
        *("firejail", "ionice", "chrt", "taskset", "numactl", "prlimit", "systemd-run", "stdbuf", "unbuffer"),
        *("flock", "strace", "ltrace", "rlwrap", "xvfb-run", "dbus-run-session"),
        *("npx", "pnpx", "bunx", "uvx"),
        *("screen", "valgrind", "faketime", "proot", "catchsegv", "cpulimit"),
        *("start-stop-daemon", "hyperfine"),
        *("gosu", "su-exec", "tini", "dumb-init", "caffeinate", "watchexec"),
        *("nodemon", "concurrently", "reflex"),
        *("cross-env", "dotenv", "chronic", "ts", "tsp", "at", "batch", "crontab"),
        *("trap", "alias", "source", "."),
        *("make", "gmake", "just", "ninja", "cmake", "gradle", "gradlew", "mvn"),
        *("mvnw", "rake", "ant", "task"),
        *("tox", "nox", "invoke", "fab", "grunt", "gulp", "bazel", "buck", "pants"),
        *("meson", "scons", "waf", "sbt"),
        *("vi", "vim", "nvim", "ex", "ed", "emacs", "nano", "view", "gdb", "lldb"),
        *("m4", "bc", "dc", "expect"),
        *("sqlite3", "psql", "mysql", "mongosh", "redis-cli", "ftp", "telnet", "nc"),
        *("ncat", "socat", "gcc", "cc"),
        *("g++", "clang", "ld", "javac", "osascript", "gpg", "zip", "dd", "split"),
        *("csplit", "export", "declare"),
        *("local", "readonly", "typeset", "set", "unset", "shopt", "let", "read", "enable", "hash", "bind"),
        *("complete", "mapfile", "readarray", "getopts", "wait", "printenv", "ld.so"),
        *("open", "xdg-open", "yq"),
    }
)
"""Programs whose operands are programs, code, targets or settings."""
_INTERPRETER: Final = regex(
    r"(?:python|pypy|perl|ruby|php|lua|node|nodejs|deno|bun|julia|Rscript|guile|ocaml|tclsh|groovy|scala|java|"
    r"tsx|ts-node|elixir|sh|bash|dash|zsh|ksh|ash|mksh|fish|csh|tcsh|nu|xonsh|pwsh|elvish|racket|sbcl|clojure|"
    r"irb|ghci?|runghc|swift|kotlin|raku|escript|gnuplot|octave|R)[\d.]*"
)
"""Programs that run their first operand; the words after it are for the script."""
_WANTS_CODE: Final = regex(
    r"-[a-zA-Z]*[ceExX]|-exec(?:dir)?|-ok(?:dir)?|"
    r"--(?:eval|exec|require|import|loader|to-command|compress-program|use-compress-program|upload-pack|"
    r"receive-pack|rsh|rsync-path|pre|config|checkpoint-action|script-shell|call|command|init-command|"
    r"extcmd|filter|plugin|preload)[\w-]*"
)
"""Options that are followed by a program or code: a rule that ends in one does not say which."""
_IN_FRONT: Final = (
    *(("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run")),
    *(
        ("python", "-m"),
        ("python3", "-m"),
        ("bundle", "exec"),
        ("npx",),
        ("pnpm", "exec"),
        ("bunx",),
        ("uvx",),
    ),
    *(("time",), ("nice",), ("nohup",), ("command",), ("timeout", r"[\d.]+[smhd]?")),
)
"""Words before a program that do not change what its own words mean."""
_GIT_FLAGS: Final = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})
_SAFE_START: Final = regex(r"~(?:$|/)|\.{0,2}/|[A-Za-z0-9_.][^:]*$")
"""The start of a pattern that can match no file whose name is an option."""
_NUMBER: Final = regex(r"-\d[\w.]*")


def unknown_word(words: Sequence[Word], named: int, is_inside: Callable[[str], bool]) -> str | None:
    """Return the first word after a rule's own words that the rule does not allow, or None.

    Args:
        words: the words of the command.
        named: number of words that the rule names.
        is_inside: whether an absolute path lies in the workspace.
    """
    if len(words) <= named:
        return None
    texts = [word.text for word in words]
    start = _start(texts, named)
    texts, words, named = texts[start:], words[start:], named - start
    entry, size = _entry(texts, named)
    if entry is None:
        entry, size = Program(operands=_default(texts, named)), 1
    return _Checker(entry, words, max(size, named), is_inside).first_unknown(texts[size:named])


def _start(texts: Sequence[str | None], named: int) -> int:
    """Return the number of words before the program, all named by the rule."""
    for front in _IN_FRONT:
        found = [text or "" for text in texts[: len(front)]]
        if named > len(front) and all(map(re.fullmatch, front, [posixpath.basename(found[0]), *found[1:]])):
            return len(front)
    return 0


def _entry(texts: Sequence[str | None], named: int) -> tuple[Program | None, int]:
    """Return the table entry of a command, and the number of words that identify it."""
    program, size = posixpath.basename(texts[0] or ""), 1
    while program == "git" and size < len(texts) and texts[size] in _GIT_FLAGS:
        size += 1
    for more in (2, 1, 0):
        key = (program, *(text or "" for text in texts[size : size + more]))
        found = _programs().get(key) if len(key) == more + 1 else None
        if found is not None and (size + more <= max(named, 1) or more == 0 or found.is_of_all):
            return found, size + more if more else 1
    return None, 1


def _default(texts: Sequence[str | None], named: int) -> str:
    """Return a pattern for the operands of a program that is not in the table."""
    program = posixpath.basename(texts[0] or "")
    if program in _NEVER or program == "git":
        return _NONE
    second = texts[1] or "-" if named > 1 else "-"
    if _INTERPRETER.fullmatch(program):
        return _NONE if second.startswith("-") else r"(?![-+@])(?s:.*)"
    if program in _OF_MANY and (second.startswith("-") or second in _STARTING):
        return _NONE
    return r"(?![-+@])(?s:.*)"


@lru_cache(maxsize=1)
def _programs() -> dict[tuple[str, ...], Program]:
    return {key: program for text, program in PROGRAMS.items() for key in _keys(text)}


@lru_cache(maxsize=256)
def options_of(names: str) -> dict[str, tuple[str, str]]:
    """Return, by option name, `=`, `?` or "" for its value, and a pattern for that."""
    found = {}
    for one in names.split():
        name = re.split("[=?]", one, maxsplit=1)[0]
        rest = one[len(name) :]
        found[name] = (rest[:1], rest[1:] or _ANY)
    return found


class _Checker:
    """Checks the words after those of a rule."""

    def __init__(
        self, entry: Program, words: Sequence[Word], start: int, is_inside: Callable[[str], bool]
    ) -> None:
        self._entry = entry
        self._words = words
        self._start = start
        self._is_inside = is_inside
        self._options = options_of(entry.names)
        self._operands = 0
        self._has_script = False

    def first_unknown(self, named: Sequence[str | None]) -> str | None:
        """Return the first word that may do harm; `named` are the words of the rule after the program."""
        operands = [text for text in named if text is not None and (text == "-" or text[:1] != "-")]
        has_operand = bool(operands)
        self._has_script = has_operand or not self._entry.first
        self._operands = len(operands)
        if self._entry.needs_operand and not has_operand:
            self._entry = self._entry._replace(operands=_NONE)
        if self._entry.only_prints:
            return next((word.source for word in self._words if word.text is None and not word.pattern), None)
        waits, is_behind = self._wanted_by(named[-1] if named else None), False
        if waits is None:
            return self._words[self._start].source
        for word in self._words[self._start :]:
            text = word.text
            if waits:
                pattern, waits = waits, ""
                if text is None or not self._is_value(text, pattern):
                    return word.source
            elif text == "--" and not is_behind:
                is_behind = True
                if self._entry.behind:
                    self._options = options_of(self._entry.behind)
                    self._entry = self._entry._replace(letters="", is_single=False)
            elif text is not None and text.startswith("-") and text != "-" and not self._is_path(is_behind):
                taken = self._taken(text)
                if taken is None:
                    return word.source
                waits = taken
            elif not self._is_operand(word):
                return word.source
        return None

    def _wanted_by(self, last: str | None) -> str | None:
        """Return a pattern for the value of the rule's last word; None: it takes code."""
        if last is None or not last.startswith("-"):
            return ""
        taken = self._taken(last)
        return ("" if _WANTS_CODE.fullmatch(last) is None else None) if taken is None else taken

    def _is_path(self, is_behind: bool) -> bool:
        # `find -- -delete` deletes: for programs with names after one dash, `--` does not end the options.
        return (
            is_behind
            and self._entry.operands == _ANY
            and not self._entry.behind
            and not self._entry.is_single
        )

    def _is_value(self, text: str, pattern: str) -> bool:
        is_plain = not text.startswith("-") or _NUMBER.fullmatch(text) is not None or text == "-"
        self._has_script = self._has_script or pattern == self._entry.first
        return is_plain and re.fullmatch(pattern, text) is not None

    def _taken(self, text: str) -> str | None:
        """Return a pattern for the value that an option takes from the next word; None: unknown option."""
        name, equals, value = text.lstrip("-").partition("=")
        is_long = text.startswith("--") or (self._entry.is_single and len(name) > 1)
        if text.startswith("---"):
            return None
        if is_long or (self._entry.is_single and name in self._options):
            kind, pattern = self._options.get(name, (None, ""))
            if kind is None or (len(name) == 1 and not self._entry.is_single):
                return None
            if equals:
                return "" if kind and re.fullmatch(pattern, value) else None
            return pattern if kind == "=" else ""
        if self._entry.has_numbers and re.fullmatch(r"-\d+", text):
            return ""
        return self._of_letters(text[1:])

    def _of_letters(self, letters: str) -> str | None:
        for place, letter in enumerate(letters):
            if letter in self._entry.letters:
                continue
            kind, pattern = self._options.get(letter, (None, ""))
            if kind is None:
                return None
            rest = letters[place + 1 :]
            if rest or kind == "?":
                self._has_script = self._has_script or pattern == self._entry.first
                return "" if re.fullmatch(pattern, rest) else None
            return pattern if kind == "=" else ""
        return ""

    def _is_operand(self, word: Word) -> bool:
        text, pattern = word.text, self._entry.operands
        if text is None:
            if not word.pattern or not _SAFE_START.match(word.source):
                return False
            text = word.source
            if self._entry.most < 1_000:
                return False
        if not self._has_script:
            self._has_script = True
            return word.text is not None and re.fullmatch(self._entry.first, text) is not None
        self._operands += 1
        if self._operands > self._entry.most or not pattern:
            return False
        return self._is_here(text) if pattern == _HERE else re.fullmatch(pattern, text) is not None

    def _is_here(self, text: str) -> bool:
        path = text.partition("::")[0]
        if _MAY_LEAVE.search(path):
            return False
        if path.startswith("/"):
            return ".." not in path.split("/") and self._is_inside(path)
        return not path.startswith(("~", "-", "+", "@")) and ".." not in path.split("/") and ":" not in path
