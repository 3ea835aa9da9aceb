"""Detection of files that usually hold secrets, by their names, folders and link targets.

The names come from scanners for secrets (gitrob, shhgit, gitleaks, detect-secrets) and from the
places where well-known programs keep passwords and tokens. Names that source files also have, such
as `tokens.py`, are not included. A hard link to a secret cannot be detected.
"""

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path

_DATA = "txt json yaml yml toml ini cfg conf csv xml properties plist".split()


def _files_of_data(*names: str) -> list[str]:
    """Return the names without an extension, and with each extension of data files."""
    return [*names, *(f"{name}.{extension}" for name in names for extension in _DATA)]


#: Names of files (globs that ignore case), whose texts are never read.
SECRETS = (
    *"""
    .env* *.env .dev.vars local.settings.json local.properties wp-config*.php localsettings.php
    local_settings.py settings_local.py database.yml secrets.py secret_token.rb api_keys.py knife.rb
    """.split(),
    # Keys, certificates and key stores
    *"""
    *.pem *.pem.* *.key *.keypair *.cert *.crt *.cer *.der *.p8 *.p12 *.pkcs12 *.pfx *.ppk *.gpg
    *.pgp *private*.asc *secret*.asc secring.* *.jks *.jceks *.bks *.keystore *.keytab *.psafe3
    *.kdb *.kdbx *.agilekeychain *.opvault *.1pif *.keychain *.keychain-db *.kwallet *.ovpn *.tblk
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *_rsa *_dsa *_ecdsa *_ed25519 *_ecdsa_sk *_ed25519_sk
    otr.private_key wallet.dat key.properties keystore.properties signing.properties
    """.split(),
    # Clouds and deployment
    *"""
    *.tfvars *.tfvars.json *.tfstate *.tfstate.* .terraformrc terraform.rc *kubeconfig*
    *service-account*.json *service_account*.json *serviceaccount*.json *firebase-adminsdk*.json
    *gcp-key*.json *gcp_key*.json *gcloud-key*.json google-services.json googleservice-info.plist
    client_secret*.json client-secret*.json client_secrets*.json *[-_]credentials.json
    rootkey.csv *accesskeys.csv *.publishsettings *.cscfg .databrickscfg .scalewayrc .sentryclirc
    .dockercfg .dockerconfigjson .vault-token .vault[-_]pass* vault[-_]pass* vault.y*ml .boto .s3cfg
    .passwd-s3fs rclone.conf publish_over_ssh*.xml *publishoverssh*.xml *.sshpublisher*.xml
    hudson.util.secret claude_desktop_config.json .cline_mcp_settings.json
    """.split(),
    # Passwords and tokens by their names
    *_files_of_data("secret", "secrets", "api_key", "api_keys", "api-key", "api-keys", "apikeys"),
    *_files_of_data("apikey", "passwords", "passwd", "access_token", "auth_token", "logins"),
    *"""
    secret*.txt *.secret *.secrets .secret* *[-_.]secret.y*ml *[-_.]secrets.y*ml *[-_.]secret.json
    *[-_.]secrets.json password*.txt pass.txt pwd.txt token.txt tokens.txt token.json *.token
    .token* .*[-_]token credentials credentials.* .credentials* credentials-config.json auth.json
    passwd shadow gshadow master.passwd .htpasswd* htpasswd proftpdpasswd .passwd*
    """.split(),
    # Files of programs in the user's home folder
    *"""
    .netrc _netrc .authinfo* .npmrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .odbc.ini
    .git-credentials .gitcookies .fetchmailrc .msmtprc .esmtprc .offlineimaprc .muttrc .curlrc
    .wgetrc .rhosts .smbcredentials* .cifscredentials* .trc .xauthority .iceauthority .k5login
    filezilla.xml recentservers.xml sitemanager.xml sftp-config.json .ftpconfig .remote-sync.json
    ws_ftp.ini winscp.ini ventrilo_srv.ini robomongo.json favorites.plist *dbeaver-data-sources.xml
    key[34].db signons.sqlite cookies.sqlite
    """.split(),
    # Histories of shells and other programs
    *"""
    .*_history .history .histfile .zhistory fish_history consolehost_history.txt .dbshell .lesshst
    .viminfo
    """.split(),
)

#: Folders in which every file counts as a secret; a path means nested folders.
SECRET_FOLDERS = tuple(
    """
    .ssh .gnupg .aws .azure .oci .aliyun .bluemix .kube .password-store .pki .kaggle .snowsql
    .snowflake .mozilla .thunderbird .filezilla .purple .irssi .electrum .bitcoin .1password .op
    .vnc .config/gcloud .config/gh .config/glab-cli .config/hub .config/rclone .config/doctl
    .config/hcloud .config/op .config/sops .config/filezilla .config/google-chrome .config/chromium
    .config/bravesoftware .config/microsoft-edge .config/hexchat .config/github-copilot
    .config/heroku .config/stripe .config/netlify .config/configstore .local/share/keyrings
    .subversion/auth .ethereum/keystore .linode-cli .fly .slack-cli roaming/gcloud google/chrome
    roaming/mozilla roaming/filezilla library/keychains
    """.split()
)

#: Files that contain secrets only in a folder of a certain name.
SECRET_PLACES = tuple(
    """
    .docker/config.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
    .nuget/nuget.config .pip/pip.conf pip/pip.conf pip/pip.ini .huggingface/token huggingface/token
    .vscode/sftp.json .cursor/mcp.json .jupyter/jupyter_notebook_config.json .travis/config.yml
    .jupyter/jupyter_server_config.json .circleci/cli.yml .weechat/sec.conf containers/auth.json
    recon-ng/keys.db .config/hcloud/cli.toml .git/config .git/credentials
    """.split()
)

# Additions to the name of a file by which editors and people name its copies.
_COPY = re.compile(
    r"(~|\.(bak|backup|bkp|old|orig|save|copy|tmp|temp|rej|sw[a-p]|un~|\d{1,3}|rpmsave|dpkg-\w+))$"
)
_MOST_LINKS = 40  # what Linux follows


def is_secret(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file usually holds secrets, by its name or the target of a link.

    This reads the disk, which can be slow in a network folder: do not call it for every key press.
    """
    return any(is_secret_name(one) for one in _led_to(os.fspath(path)))


@lru_cache(maxsize=4096)
def is_secret_name(path: str) -> bool:
    """Tell whether a path, with either kind of slash, usually holds secrets."""
    parts = [part for part in re.split(r"[\\/]", path.casefold()) if part]
    if not parts:
        return False
    folders = "".join(f"/{part}" for part in parts[:-1])
    return _IN_FOLDER.search(f"{folders}/") is not None or any(
        _names().match(name) or _PLACE.search(f"{folders}/{name}") for name in _originals(parts[-1])
    )


def _originals(name: str) -> Iterator[str]:
    """Yield a name, and the names that it may be a copy of: `.server.key.swp`, `#.env#`."""
    yield name
    bare = name.strip("#").removeprefix(".#")
    while (shorter := _COPY.sub("", bare)) != bare:
        bare = shorter
    if bare != name:
        yield bare
        yield bare.removeprefix(".")


def _led_to(path: str) -> Iterator[str]:
    """Yield a path, and the paths that result from following its links one by one."""
    yield path
    if not os.path.isabs(path):  # a path in a repository, or from another machine
        return
    for _ in range(_MOST_LINKS):
        followed = _without_first_link(Path(path))
        if followed is None:
            break
        path = followed
        yield path
    try:
        yield os.path.realpath(path)  # resolves more than links, such as short names on Windows
    except (OSError, ValueError):
        return


def _without_first_link(path: Path) -> str | None:
    for part in (*reversed(path.parents), path):
        try:
            target = os.readlink(part)
        except (OSError, ValueError):  # not a link, missing, or an invalid name
            continue
        return str(part.parent / target / path.relative_to(part))
    return None


def _one_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in names)


_IN_FOLDER = re.compile(f"/(?:{_one_of(SECRET_FOLDERS)})/")
_PLACE = re.compile(f"/(?:{_one_of(SECRET_PLACES)})$")


@cache
def _names() -> re.Pattern[str]:
    """Compile `SECRETS` when it is needed, which takes some time."""
    return re.compile("|".join(map(translate, SECRETS)))
