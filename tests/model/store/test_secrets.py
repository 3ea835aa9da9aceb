"""Files that are taken for secrets, those that are not, and a store without the first."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from editcast_store.saves import Store
from editcast_store.secrets import is_secret, is_secret_name

SECRET = """
    .env .env.local .ENV.production .envrc .dev.vars prod.env
    /a/id_rsa /a/id_ed25519.pub deploy_rsa key.pem key.pem.bak cert.pem.txt server.key b.KEY x.crt
    release.keystore store.jks vpn.ovpn vault.kdbx mail.keytab app.p12 putty.ppk key.properties
    server.key~ id_rsa.bak .env.old .env.orig .env~ .server.key.swp #.env# .#.env id_rsa.1
    prod.tfvars.json.bak wp-config.php.save
    prod.tfvars terraform.tfvars.json terraform.tfstate terraform.tfstate.backup .terraformrc
    .kube/config kubeconfig prod.kubeconfig.yaml .docker/config.json .dockercfg .vault-token
    .azure/accessTokens.json .config/gcloud/credentials.db .config/gh/hosts.yml .config/rclone/x
    client_secret_123.apps.googleusercontent.com.json client_secrets.json firebase-adminsdk.json
    app-firebase-adminsdk-x1.json gcp-key.json my-service-account.json service_account.json
    local.settings.json auth.json .composer/auth.json api_keys.json api-keys.yaml apikey.txt
    .my.cnf .s3cfg .boto .netrc _netrc .npmrc .pypirc .pgpass .git-credentials .htpasswd
    .bash_history .zsh_history .psql_history .python_history .node_repl_history .histfile
    wp-config.php LocalSettings.php password.txt passwords.txt passwords.csv secret.txt
    secret_key.txt secrets.py Secrets.YML secrets.toml secrets.properties db-secret.yaml
    vault.yml vault_pass.txt token.txt token.json .github-token /etc/shadow passwd
    .cargo/credentials.toml .m2/settings.xml .gem/credentials .gradle/gradle.properties
    .password-store/mail/me.txt .mozilla/firefox/x/logins.json .ssh/config .SSH/known_hosts
    .gnupg/gpg.conf .aws/config credentials.json .credentials.json google_credentials.json
    filezilla.xml sftp-config.json .vscode/sftp.json secret_token.rb database.yml
    C:\\keys\\Server.PEM C:\\Users\\me\\.aws\\config C:\\Users\\me\\.ssh\\id_rsa.bak
""".split()

HARMLESS = """
    env.py environment.py environments.ts tokens.py token.go tokenizer.py token.ts tokens.json
    secrets.go secret.rs secrets_manager.py secretsmanager.ts password_reset.py passwords.py
    password.tsx credential.py auth.py auth.ts auth.yaml keys.py key.go monkey.py keyboard.ts
    vault.go vault.tf kube.py config.json docker/config.json settings.xml settings.py main.tf
    history.py bash_history.py api_key.ts apikeys.go access_token.rb pem.py rsa.c ed25519.rs
    certificate.py crt0.s .gitignore .github/workflows/test.yml .config/nvim/init.lua
    .azure-pipelines.yml .docker/Dockerfile .env/lib/a.py aws/lambda.py ssh/client.go gh/main.go
    page.tsx app/[id]/page.tsx wp-content/index.php package.json a.py.orig b.bak c~ .profile
    secret_santa/main.py secrets/loader.py .vscode/settings.json README.md .a.py.swp
""".split()


@pytest.mark.parametrize("name", SECRET)
def test_a_secret(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret(name if name.startswith(("/", "C:")) else f"/home/me/{name}")


@pytest.mark.parametrize("name", ["", *HARMLESS])
def test_no_secret(name: str) -> None:
    assert not is_secret_name(name)
    assert not is_secret(f"/home/me/project/{name}")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with secrets and with links to them, most by way of names that say nothing."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "vault").mkdir()
    for name in (".env", "id_rsa", ".ssh/config", "vault/blob", "plain.py"):
        (tmp_path / name).write_text("TOKEN=very-secret-text\n")
    for link, target in (
        ("notes.txt", ".env"),
        ("link_to_key", tmp_path / "id_rsa"),
        ("deep/linkdir", "../.ssh"),
        ("twice.txt", "notes.txt"),
        (".envrc", "vault/blob"),
        ("by_way.txt", ".envrc"),
        ("vault/.kube", "../deep"),
        ("cluster", "vault/.kube"),
        ("gone.txt", "nowhere/.npmrc"),
        ("plain_link.py", "plain.py"),
        ("round", "round"),
    ):
        (tmp_path / link).symlink_to(target)
    return tmp_path


LINKS = ["notes.txt", "link_to_key", "deep/linkdir/config", "twice.txt", "by_way.txt"]
LINKS += ["cluster/x.py", "gone.txt", "deep/../notes.txt"]


@pytest.mark.parametrize("name", LINKS)
def test_a_link_to_a_secret_is_one(home: Path, name: str) -> None:
    assert is_secret(home / name)
    with Store.open(home / "store" / "history.sqlite3") as store:
        assert not store.record(home / name, "TOKEN=very-secret-text\n", 0, "plaintext")
        assert store.files() == []


ORDINARY = ["plain_link.py", "plain.py", "round", "none.py", "a\0.py", "\ud800"]


@pytest.mark.parametrize("name", ORDINARY)
def test_other_links_and_odd_names_are_none(home: Path, name: str) -> None:
    assert not is_secret(f"{home}/{name}")


@pytest.mark.parametrize("secret", [".env", "/a/.env.local", "/a/.kube/config", "/b/server.key~"])
def test_secrets_are_not_stored(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "history.sqlite3"
    with Store.open(path) as store:
        assert not store.record(secret, "TOKEN=very-secret-text", 0, "plaintext")
        assert store.files() == []
    assert b"very-secret-text" not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_what_was_stored_before_it_was_known_to_be_a_secret_is_not_exported(home: Path) -> None:
    path = home / "store" / "history.sqlite3"
    with Store.open(path) as store:
        for name in ("a.py", "b.py", "c.py"):
            store.record(home / name, f"text of {name}", 0, "python")
    with closing(sqlite3.connect(path)) as database:
        for name, then in (("b.py", ".kube/config"), ("c.py", "notes.txt")):
            names = (os.fspath(home / then), os.fspath(home / name))
            database.execute("UPDATE files SET path = ? WHERE path = ?", names)
        database.commit()
    with Store.open(path) as store:
        assert len(store.files()) == 3
        assert [json.loads(line)["text0"] for line in store.export()] == ["text of a.py"]
