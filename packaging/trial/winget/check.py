# Checks a manifest of WinGet against the schemas of its version, which lie beside this file and are Microsoft's (MIT).
# The argument is the directory of the manifest. It needs jsonschema and yaml.
import json
import pathlib
import sys

import jsonschema
import yaml

schemas, manifest = pathlib.Path(__file__).parent / "schema", pathlib.Path(sys.argv[1])
names = {
    "version": "Alongside.Alongside.yaml",
    "installer": "Alongside.Alongside.installer.yaml",
    "defaultLocale": "Alongside.Alongside.locale.en-US.yaml",
}
said = []
for kind, name in names.items():
    content = yaml.safe_load((manifest / name).read_text())
    schema = json.loads((schemas / f"{kind}.schema.json").read_text())
    jsonschema.Draft7Validator(schema).validate(content)
    # The schemas allow more than they know.
    unknown = set(content) - set(schema["properties"])
    if unknown or content["ManifestType"] != kind:
        sys.exit(f"{name}: unknown {sorted(unknown)}, or another kind than {kind}")
    said.append((content["PackageIdentifier"], content["PackageVersion"], content["ManifestVersion"]))
if len(set(said)) != 1:
    sys.exit(f"the files differ: {said}")
