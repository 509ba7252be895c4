# Checks a manifest of WinGet against the schemas of its version. The arguments are the directory of the manifest and the
# directory of the schemas: files such as manifest.version.1.10.0.json, from schemas/JSON/manifests of microsoft/winget-cli.
# This script needs jsonschema and yaml.
import json
import pathlib
import sys

import jsonschema
import yaml

manifest, schemas = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
names = {
    "version": "Alongside.Alongside.yaml",
    "installer": "Alongside.Alongside.installer.yaml",
    "defaultLocale": "Alongside.Alongside.locale.en-US.yaml",
}
identities = []
for kind, name in names.items():
    content = yaml.safe_load((manifest / name).read_text())
    version = content["ManifestVersion"]
    schema = json.loads((schemas / f"manifest.{kind}.{version}.json").read_text())
    jsonschema.Draft7Validator(schema).validate(content)
    # The schemas allow unknown properties.
    unknown = set(content) - set(schema["properties"])
    if unknown or content["ManifestType"] != kind:
        sys.exit(f"{name}: unknown {sorted(unknown)}, or another kind than {kind}")
    identities.append((content["PackageIdentifier"], content["PackageVersion"], content["ManifestVersion"]))
if len(set(identities)) != 1:
    sys.exit(f"the files differ: {identities}")
