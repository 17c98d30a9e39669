"""Places with rules of their own in every sandbox: secrets, files that run later, ways out."""

from __future__ import annotations

from typing import Final

SECRETS: Final = (
    # keys and accounts
    ".ssh", ".gnupg", ".password-store", ".pki", ".1password", ".local/share/keyrings",
    ".local/share/kwalletd", ".aws", ".azure", ".config/gcloud", ".config/doctl", ".oci", ".kube",
    ".docker", ".config/containers", ".terraform.d",
    ".vault-token", ".config/gh", ".config/glab-cli", ".config/hub", ".netrc", ".git-credentials",
    ".config/git/credentials", ".config/rclone", ".config/op", ".config/sops", ".config/age",
    ".pgpass", ".my.cnf",
    # keys of package registries
    ".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".m2/settings.xml", ".gradle/gradle.properties", ".config/pip/pip.conf", ".huggingface",
    ".cache/huggingface/token",
    # browsers, mail and chats
    ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
    ".config/microsoft-edge", ".config/vivaldi", ".config/Signal", ".config/Slack", ".config/discord",
    ".var/app",
    "snap/firefox", "snap/chromium",
    # histories, which may contain secrets
    ".bash_history", ".zsh_history", ".zhistory", ".local/share/fish", ".python_history",
    ".node_repl_history",
    ".psql_history", ".mysql_history", ".sqlite_history", ".lesshst", ".viminfo", ".local/state/nvim",
    # the desktop and its services
    ".Xauthority", ".ICEauthority", ".config/systemd", ".config/autostart",
)  # fmt: skip
"""Places below the home that are hidden."""

MOVED: Final = {
    ".config/": "XDG_CONFIG_HOME",
    ".local/share/": "XDG_DATA_HOME",
    ".local/state/": "XDG_STATE_HOME",
    ".cache/": "XDG_CACHE_HOME",
}
"""Folders below the home, with the variables that name others in their place."""

PROTECTED: Final = (
    ".git/hooks", ".git/config", ".git/config.worktree", ".git/modules", ".git/worktrees", ".git/commondir",
    ".gitmodules", ".envrc", ".mise.toml", ".vscode",
    ".idea", ".husky", ".acp-tui",
)  # fmt: skip
"""Places below a workspace that a program outside runs later: they stay read-only."""

COULD_BE_MADE: Final = (".git", "HEAD")
"""Names in a workspace that make it a repository; these cannot be read-only in one."""

WAYS_OUT: Final = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY", "XDG_RUNTIME_DIR", "TMUX", "STY", "DOCKER_HOST", "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET", "NVIM", "SUDO_ASKPASS", "SSH_ASKPASS", "GIT_ASKPASS",
)  # fmt: skip
"""Variables that lead to programs outside, which would obey any request."""

KEPT_OF_RUN: Final = ("/run/current-system", "/run/booted-system", "/run/opengl-driver")
"""Places below /run with the programs of some systems."""

OF_NAMES: Final = (
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/nscd",
)  # fmt: skip
"""Places below /run for looking up host names: services there, which tell others what they are asked."""

TEMPORARY: Final = ("/tmp", "/var/tmp")
"""Folders that are replaced by one private folder of the session."""

SSH_AGENT: Final = "ssh-agent"
DOCKER: Final = "docker"
DOCKER_SOCKETS: Final = ("/run/docker.sock", "/var/run/docker.sock")
