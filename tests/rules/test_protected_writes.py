"""Protected files that commands may write, and commands that only read them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from acp_tui.rules import protected_files, protected_writes
from acp_tui.rules.protected_writes import protections_in
from tests.tables import each

WRITES: Final = (
    *r"""
/usr/bin/git config a.b c
/usr/bin/npm config set a b
/usr/bin/crontab x
uniq - .envrc
uniq -- -a .envrc
uniq $x .envrc
git config core.hooksPath .vscode -l
git config core.fsmonitor ./evil --get
git config --replace-all core.x evil -- --get
git config --comment --get a.b .envrc
git config --file -l core.hooksPath evil
git rm -- --cached .envrc
touch .en$1vrc
touch .en${x/${y}/}vrc
touch .en${x:-${y}}vrc
touch $'.env\x{72}c'
sort -bbbbbbbbbbbo.envrc in
curl -fsSLfsSLo.envrc http://a
git init --templ=evil
git init --separate-git-dir=evil
rm -rf ./.vsc*
mv .gith* evil
chmod -R 777 .v*
git clone --conf core.hooksPath=x a b
git clone -qc core.hooksPath=x a b
/usr/lib/git-core/git-config core.hooksPath evil
npm --prefix . config set script-shell ./evil
npm config --location project set script-shell ./evil
pip --proxy x config set global.index-url x
yq --in-place .x .envrc
yq -Y --in-place .x .envrc
xargs git config a.b < x
test -v 'a[$(touch .envrc)]'
[ -v 'a[$(touch .envrc)]' ]
[[ a -eq 'a[$(touch .envrc)]' ]]
wait -p 'a[$(touch .envrc)]'
x='a[$(touch .envrc)]'; echo $((x))
x='$(touch .envrc)'; echo ${x@P}
find . -name '.env*' -delete
find . -name '.envr?' -exec sed -i s/a/b/ {} +
cd .vscode; wget http://a/tasks.json
cd .vscode; curl -sO 'http://a/tasks.json?x=1'
cp -r x/. $PWD
cp -r x/. "$PWD"
cp -r x/. ${PWD}
cp -r {x/.,.}
git remote add show ext::x
git remote -v add e ext::x
gawk -o.envrc 1 a
gawk -d.envrc 1 a
sed -n '1w.envrc' a
sed 's/a/b/gw.envrc' a
tee "${X:-.envrc}"
tee .env${X:-rc}
read -r f < <(echo .envrc); rm $f
echo .envrc | read f; rm $f
mapfile -t f < <(ls .envrc); rm $f
less -o .envrc a
less '+!tee .envrc' a
bat --pager 'tee .envrc' a
actionlint -shellcheck 'tee .envrc'
ag --pager 'tee .envrc' x
ack --output='tee' x .envrc
eslint -o .envrc a
eslint --fix .vscode
prettier --write .github
prettier -lw .github
kubectl get pods --profile-output=.envrc
kubectl cluster-info dump --output-directory=.vscode
kubectl --kubeconfig ~/.kube/config config set a b
KUBECONFIG=~/.kube/config kubectl config set a b
aws s3 cp x ~/.aws/config
tar xf a.tgz .envrc
tar tf a --to-command='tee .envrc'
xxd -r a .envrc
xxd a .envrc
zizmor --fix .github
mkdir -p .vscode && cd .vscode && tee tasks.json
mkdir -p .github/workflows && cp a .github/workflows/b.yml
node x.js .envrc
python3 x.py .envrc
gh run download -D .vscode
echo a | xargs -I{} ~/x tee .envrc
ls ~-/.envrc; tee ~-/.envrc
git config core.pager get
git config --unse a.b
git config edit
cd .git/hooks; cd -; tee ~-/x
echo .envrc | xargs bash -c 'tee $0'
echo .envrc | bash -c 'read x; cat > $x'
echo .envrc | (cat | (cat | xargs rm))
echo .envrc | tee | xargs rm
echo x > $(echo .envrc)
cat a > "$(ls .envrc)"
echo x >> `printf .envrc`
while read f; do cp a $f; done < <(ls .envrc)
npm config set script-shell ./x
npm set a=b
env npm config set a b
pnpm -g config set a b
yarn config set a b
pip3 config --user set global.index-url x
conda config --add channels x
git stash; git stash push .envrc
echo x > .envrc
tee < a .envrc
>.envrc
> .envrc cat <<< x
2>&1 >.envrc ls
ls &> .envrc
echo x >| .envrc
sh -c 'tee < a .envrc'
tee .en*
echo > "$PWD/.envrc"
printf x > $HOME/.bashrc
printf x > ~/.bashrc
echo > .en*
tee .env{rc,}
git config core.fsmonitor x
git config --local alias.x !id
git -C . config core.pager x
git config set core.pager x
git config --unset a.b
git config --global core.pager x
git config -e
git checkout x -- .envrc
git restore .envrc
git submodule add x
git diff --output=.envrc
git clone -c core.fsmonitor=x u y
git mv a .envrc
git log > .git/hooks/x
cp -r x/. .
cp x/* .
cp x/.envrc .
mv x/.envrc .
cp -t . x/.envrc
rsync -a x/ .
cp -r y .git
install x/.envrc .
cp --target-directory=. x/.envrc
ln -s a .envrc
cp -a x/. ./
sort -o .envrc a
sort --outpu=.envrc a
sort -o.envrc a
tree -o .envrc
uniq a .envrc
curl -o .envrc u
curl -so.envrc u
curl -O u/.envrc
wget u/.envrc
wget -O.envrc u
find . -fprint .envrc
find . -exec cp a .envrc ;
split -b9 a .envrc
base64 -d a -o .envrc
python -c "open('.envrc','w')"
sed -n 'w .envrc' a
sed -n w.envrc a
perl -pi -e 1 .envrc
tar xf a .envrc
unzip a .envrc
patch .envrc p
new-tool .envrc
sudo tee .envrc
crontab f
cd .git && echo > config
gawk -i inplace 1 .envrc
env new-tool .envrc
script -q .envrc
find . -exec cp {} .envrc \;
trap 'cp evil .envrc' EXIT
timeout -s sh 5 cp x .envrc
cp -r gh .github
mv gh .github
git clone x .husky
git format-patch -o .githooks
git remote add e ext::x
tee $'\x2eenvrc'
tee .env$'r'c
cd $PWD/.vscode && tee tasks.json
sh -c 'cp "$0" "$1"' x .envrc
for f in .envrc; do cp x $f; done
alias a='cp x .envrc'
wget -P .vscode http://h/tasks.json
echo .envrc | xargs touch
find . -name .envrc | xargs rm
find . -name .envrc -delete
rm $(ls -d .git/hooks)
x=$(echo .envrc); tee $x
: .envrc; tee $_
echo 'cp x .envrc' | sh
cat <<< 'cp x .envrc' | sh
bash <<< 'cp x .envrc'
echo 'cp x .envrc' | bash /dev/stdin
cat .envrc > >(tee .envrc)
bash -lc 'echo x > .envrc'
bash -lc "bash -c 'tee .envrc'"
cat() { rm "$@"; }; cat .envrc
set -- .envrc; tee $1
export X=.envrc; tee $X
tee .env""rc
tee .e\nvrc
tee .env{r..r}c
tee .env$@rc
tee "$ROOT/.envrc"
read f <<< .envrc; tee $f
{ cat a; } > .envrc
for i in 1; do echo; done > .envrc
ls .git | while read f; do rm $f; done
env -C .vscode tee tasks.json
make -C .git
parallel cp x ::: .envrc
GIT_EXTERNAL_DIFF='cp x' git diff .envrc
git -c alias.x='!tee .envrc' x
(cd .github && cp -r ../gh/workflows .)
sudo sh -c 'tee .envrc'
cp evil ~/.local/bin/x
echo x > ~/bin/x
sed -i s/a/b/ .envrc
python3 -c "open('.envrc','w')"
perl -e 'open F, ">.envrc"'
vim -c 'w!.envrc' x
dd of=.envrc
git remote set-url origin x
git config core.pager x
find . -exec git config a.b c \;
nohup git config a.b c
cat <(cp x .envrc)
cat x | (cp x .envrc)
echo `tee .envrc`
echo "$(tee .envrc)"
[[ -n $(tee .envrc) ]]
if tee .envrc; then :; fi
case a in a) tee .envrc;; esac
ln -s .github g; cp a g/workflows/b
sort a -o.envrc
cat .envrc; cp x .git"hub"
echo .envrc | tee list | xargs touch
while read f; do tee $f; done <<< .envrc
X=1 cp a .envrc
rm -rf .github
curl -K .envrc -O u/.bashrc
cat 1<> .envrc
printf -v f .envrc; tee $f
find . -name .envrc -exec rm {} +
find . ! -name .envrc -exec cp x .envrc ';'
ls .git && (cat > .git/hooks/x)
awk 'BEGIN{print > ".envrc"}'
sed 'w .envrc' a
chmod +x .git/hooks/pre-commit
( : ; trap 'cp x .envrc' 0 )
eval "cp x .envrc"
eval 'cd .vscode; tee tasks.json'
tee .env'rc'
exec 3>.envrc; echo x >&3
function ls { rm $1; }; ls .envrc
ls .envrc && $_ x
mapfile -t a <<< .envrc; tee ${a[0]}
xargs -I{} cp x {} <<< .envrc
git ls-files .github | xargs rm
git commit -m x && tee .envrc
cp x "$(dirname .git/x)/config"
tee `echo .envrc`
python3 x.py --out=.envrc
cat x > .en*
/bin/cp x .envrc
cat .envrc | tee .git/hooks/x
git add .envrc; git mv a .envrc
timeout 5 tee .envrc
ssh localhost 'tee .envrc'
ssh -i ~/.ssh/id h 'tee .envrc'
rsync --exclude a x .github
tar --exclude a -xf t -C .git
rg --pre 'tee .envrc' x
fd . -x cp {} .envrc
bash -c 'cat .envrc' .envrc
bash -c -- 'tee .envrc'
bash --rcfile .envrc -i
command tee .envrc
echo x | command tee .envrc
\tee .envrc
t'e'e .envrc
$TEE .envrc
cat .envrc $(tee .envrc)
cat ${x:=$(tee .envrc)}
cat $((x=1)) >> .envrc
until tee .envrc; do :; done
select f in .envrc; do tee $f; done
coproc tee .envrc
time tee .envrc
! tee .envrc
jq . > .mcp.json
npm pkg get > .npmrc
tee ~/.bashrc
tee $HOME/.ssh/authorized_keys
tee "${HOME}"/.ssh/authorized_keys
source /dev/stdin <<< 'tee .envrc'
""".strip().splitlines(),
    "cat <<'E' > .envrc\nx\nE",
    "cat > .envrc <<'E'\nx\nE",
    "tee <<E .envrc\nx\nE",
    "cat <<E | tee .envrc\nx\nE",
    "cat <<E > f; tee <f .envrc\nx\nE",
    "bash <<E\ncp x .envrc\nE",
    "cat <<E | sh\ncp x .envrc\nE",
    "apply_patch <<'E'\n*** Add File: .envrc\nE",
    "git apply <<'E'\n+++ b/.envrc\nE",
    "cat > .github/workflows/ci.yml <<E\nE",
    "python3 - <<E\nopen('.envrc','w')\nE",
    "cat <<E\n$(tee .envrc)\nE",
    "cat <<E f | tee .envrc\nE",
    "cat .envrc\rtee .envrc",
    "cat x #\n tee .envrc",
    "tee .env\\\nrc",
    "cat <<E | xargs touch\n.envrc\nE",
)
READS: Final = (
    *r"""
git config --get --global user.name
git config --file .git/config --get core.bare
git config -l --show-origin
git rm -r --cached .envrc
uniq -c .envrc
yq -r .jobs .github/workflows/a.yml
x='a[1]'; echo "$x" .envrc
find . -name '*.py' -exec grep -l x {} +
mkdir .github
mkdir -p .claude ~/.ssh
rmdir .github
less .vscode/settings.json
less -RFX .envrc
more .vscode/settings.json
bat .vscode/settings.json
batcat --plain .envrc
yamllint .github
yamllint -s .github/workflows/ci.yml
actionlint .github/workflows/ci.yml
shellcheck .envrc .git/hooks/pre-commit
hadolint .devcontainer/Dockerfile
zizmor .github
prettier --check .github
npx prettier --check .vscode/settings.json
eslint .vscode
KUBECONFIG=x kubectl get pods
KUBECONFIG=~/.kube/config kubectl get pods -n x
kubectl --kubeconfig ~/.kube/config get pods
kubectl --kubeconfig=$HOME/.kube/config describe pod x
AWS_CONFIG_FILE=~/.aws/config aws s3 ls
ssh -F ~/.ssh/config h ls
ag x .github
xxd .envrc
zgrep x .envrc
sha224sum .envrc
eza -la .github
tar tf x.tgz .github
git diff --name-only HEAD~1 | grep .github
git log HEAD~3..HEAD~1 -- .github
git range-diff a b -- .github
git -c core.pager=cat diff .envrc
git remote -v show
gh run list --workflow .github/workflows/ci.yml
node .claude/hooks/x.js
python3 .claude/hooks/x.py
cat .envrc
grep -rn x .github/workflows
git diff .envrc
git add .envrc
git config --get a.b
git config user.name
git config --list
git log -- .git-hooks
ls -la .git
find . -name .envrc
source .envrc
bash .envrc
ssh -i ~/.ssh/id h ls
test -f .envrc
/usr/bin/env ls
timeout 5 /bin/ls
sudo /usr/bin/env ls
echo .envrc
make -C x
cp a b
diff .envrc x
head -3 < .envrc
git status 2>/dev/null
crontab -l
python -c 'print(1)' > f
git status
git add -A
git commit -m "fix .envrc and .git/config"
npm test
grep -r foo .
ls -la .github/workflows
find . -name '*.py'
pytest -q
cargo build
echo "see .git/config"
rg word --glob '!.git'
ls ~/.ssh
bash -lc 'cat .envrc'
bash -lc 'ls -la .github/workflows && cat .github/workflows/ci.yml | head -20'
git diff .envrc | head
cat .github/workflows/*.yml 2>/dev/null | grep -n uses
for f in .github/workflows/*; do echo "== $f"; cat "$f"; done
for f in $(ls .github/workflows); do cat $f; done
find . -type f -not -path './.git/*' -exec grep -l foo {} +
find . -path ./.git -prune -o -name '*.py' -print
find . -type f -not -path './.git/*' | xargs sed -i 's/a/b/'
find . -type f -not -path './.git/*' | head -50
find . -path ./node_modules -prune -o -path ./.git -prune -o -type f -print | xargs wc -l
tar --exclude=.git -czf /tmp/x.tgz .
rsync -a --exclude .git src/ /tmp/dst/
grep x < <(cat .envrc)
echo $(cat .envrc)
while read f; do echo $f; done < <(ls .envrc)
npm config get a
npm run config set
pip config list
grep -rl foo . --exclude-dir=.git | xargs sed -i s/a/b/
export PATH="$HOME/.local/bin:$PATH" && npm test
PATH="$HOME/.cargo/bin:$PATH" cargo build
source ~/.bashrc && npm test
. ~/.nvm/nvm.sh && nvm use
[ -f .envrc ] && echo yes
if [ -f .envrc ]; then cat .envrc; else echo no; fi
test -d .git && git log --oneline | head -5
/usr/bin/python3 x.py
cat .git/HEAD | tee log.txt
cat .mcp.json | jq .x
python3 -m json.tool .vscode/settings.json
ls -la; cat .gitignore; cat .claude/settings.json; npm run build
curl -sSL https://raw.githubusercontent.com/o/r/main/.github/workflows/ci.yml | head
git clone https://github.com/foo/bar.git
git push origin HEAD
git push https://github.com/foo/bar.git
cmake -DCMAKE_C_COMPILER=/usr/bin/gcc ..
make
rm -rf node_modules
rm -rf build/*
rm -rf *
chmod +x src/*
mkdir -p src/new
ssh -i ~/.ssh/id host ls
echo .envrc >> .gitignore
git rm --cached .envrc
gh pr create --title x --body "see .github/workflows/ci.yml"
git remote -v
git config --get user.name
sed -n '1,20p' .github/workflows/ci.yml
awk '{print $1}' .envrc
wc -l .github/workflows/*
cd /tmp && ls
cd src && python -m pytest
which python && ls /usr/bin | head
ls /etc
cat /etc/passwd | grep root
stat ~/.bashrc
diff .envrc x/.envrc
git log --oneline -- .github
git show HEAD:.github/workflows/ci.yml
git check-ignore -v .envrc
docker ps
uv run pytest -q
go test ./...
cat .envrc && npm test
npm test && cat .github/workflows/ci.yml
while read l; do echo $l; done < .envrc
x=$(cat .git/HEAD); echo $x
ls .git/hooks | wc -l && npm ci
git branch --show-current; git stash list
echo done > out.txt; cat .envrc > copy.txt
gcc -L/usr/lib -I/usr/include x.c
python3 -m venv .venv && .venv/bin/pip install -e .
sed -i 's#a/b#c#' README.md
sed -i 's/foo/bar/g' src/a.py
head -5 .github/workflows/*.yml; tail .envrc
env | grep PATH
git diff -- .github/ ':!.github/x'
git -C /tmp log -3 -- .envrc
git --no-pager diff .envrc
npx prettier --check .
tree -a -I '.git|node_modules'
du -sh .git
cat .git/config 2>&1 | head -3 || true
ls -la ~/.config ~/.claude 2>/dev/null
""".strip().splitlines(),
    "cat <<'E' > f\n> .envrc\nE",
    "git commit -m \"$(cat <<'EOF'\nChange .github/workflows/ci.yml\n\n- see .envrc\nEOF\n)\"",
    "cat > notes.md <<'E'\nsee .git/config and .envrc\nE",
    "# look at .git/config\nls",
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # private: what is kept for a process, where each test has another home
    for cached in (protected_files._patterns, protected_files._by_first_part, protected_files._places_in):
        cached.cache_clear()
    root = tmp_path / "workspace"
    names = ("x/.envrc", "y/hooks/z", "gh/workflows/a.yml", "src/a.py", ".envrc", ".git/config")
    for name in (*names, ".vscode/x", ".github/x"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return root


@pytest.mark.slow
@each("command", WRITES)
def test_a_command_that_names_a_protected_place_may_write_it(command: str, workspace: Path) -> None:
    assert protections_in(command, str(workspace), [str(workspace)])


@pytest.mark.slow
@each("command", READS)
def test_a_command_that_surely_reads_writes_none(command: str, workspace: Path) -> None:
    assert not protections_in(command, str(workspace), [str(workspace)])


@pytest.mark.parametrize("command", ["tee notes", "cp src/a.py notes", "tee note*", "cd src; tee ../notes"])
def test_a_link_to_a_protected_file_is_seen_from_both_sides(command: str, workspace: Path) -> None:
    (workspace / "notes").write_text("")
    (workspace / ".husky").mkdir()
    assert not protections_in(command, str(workspace), [str(workspace)])

    (workspace / ".husky/pre-push").symlink_to("../notes")

    assert protections_in(command, str(workspace), [str(workspace)])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a " * 40_000, "$(" * 3_000, "(" * 9_000, "'" * 5_001, "cd x;" * 2_000])
def test_a_line_of_any_size_is_searched_for_names(text: str, workspace: Path) -> None:
    assert protections_in(f"{text}\ncp x .envrc", str(workspace), [str(workspace)])


@pytest.mark.slow
def test_a_line_that_may_name_too_much_is_taken_for_a_write(workspace: Path) -> None:
    text = "make " + " ".join(map(str, range(30_000)))

    assert protections_in(text, str(workspace), [str(workspace)])


def test_what_a_folder_in_a_protected_place_makes_of_a_name_counts(workspace: Path) -> None:
    root = str(workspace)

    assert protections_in("tee tasks.json", f"{root}/.vscode", [root])
    assert not protections_in("cat tasks.json; npm test", f"{root}/.vscode", [root])
    assert not protections_in("tee tasks.json", root, [root])


def test_an_installed_program_is_left_out_where_it_is_run_but_not_as_an_output(workspace: Path) -> None:
    tool = workspace.parent / "home/.local/bin/tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("")
    tool.chmod(0o755)

    assert not protections_in(
        "~/.local/bin/tool --python ~/.local/bin/tool", str(workspace), [str(workspace)]
    )
    for command in ("curl -so {} http://a", "wget -O {} http://a", "gcc -o {} x.c", "go build --output={} ."):
        assert protections_in(command.format("~/.local/bin/tool"), str(workspace), [str(workspace)])


@pytest.mark.slow
def test_a_copy_of_more_files_than_are_looked_at_is_taken_for_a_write(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_writes, "MAX_COPIED", 50)
    for number in range(6):
        (workspace / f"many/{number}").mkdir(parents=True)
        for name in range(10):
            (workspace / f"many/{number}/{name}").touch()

    assert protections_in("cp -r many ../copy", str(workspace), [str(workspace)])
    assert not protections_in("cp -r many/1 ../copy", str(workspace), [str(workspace)])
