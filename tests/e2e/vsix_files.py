"""Extensions as VS Code installs them: .vsix files, which are zip files with a manifest."""

import json
import re
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

_CONTENT_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""
_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
<DisplayName>{displayName}</DisplayName>
<Description>{description}</Description>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/>
</Assets>
</PackageManifest>
"""


def pack(folder: Path, out: Path) -> Path:
    """Pack the folder of an extension that is plain JavaScript."""
    package = json.loads((folder / "package.json").read_text())
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _CONTENT_TYPES)
        archive.writestr("extension.vsixmanifest", _MANIFEST.format(**package))
        for file in sorted(folder.iterdir()):
            archive.write(file, f"extension/{file.name}")
    return out


def with_version(vsix: Path, version: str, out: Path) -> Path:
    """Return the extension under another version."""
    with ZipFile(vsix) as old, ZipFile(out, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "extension/package.json":
                data = json.dumps({**json.loads(data), "version": version}).encode()
            elif name == "extension.vsixmanifest":
                identity = re.compile(rb'(<Identity\b[^>]*\bVersion=")[^"]*')
                data = identity.sub(lambda found: found[1] + version.encode(), data, count=1)
            new.writestr(name, data)
    return out
