//! The bill of materials of a program in the format CycloneDX: its crates with their licences, checksums and
//! dependencies. Scanners use it to look up advisories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use alongside_testing::chores::checkout;
use serde_json::{Map, Value, json};

use super::linked_crates::{Crates, name_of};

/// Returns the name of the file for a target.
pub(super) fn file_name(version: &str, target: &str) -> String {
    format!("alongside-{version}-{target}.cdx.json")
}

/// Returns the text of the file. The crates of the program are the same each time, and so is this.
///
/// # Errors
/// When the lock file, which has the checksums, cannot be read.
pub(super) fn of_crates(crates: &Crates, version: &str, target: &str) -> anyhow::Result<String> {
    let checksums = checksums(&fs::read_to_string(checkout().join("Cargo.lock"))?);
    let mut components = Vec::new();
    let mut references = BTreeMap::new();
    let mut program = Value::Null;
    for package in &crates.packages {
        let component = component(package, checksums.get(&name_of(package)));
        references.insert(package["id"].as_str().unwrap_or_default(), component["bom-ref"].clone());
        match package["name"] == "alongside" {
            true => program = component,
            false => components.push(component),
        }
    }
    components.sort_by_key(|component| component["bom-ref"].to_string());
    program["type"] = "application".into();
    let properties = json!([{ "name": "cargo:target", "value": target }]);
    let tool = json!({ "type": "application", "name": "cargo xtask dist", "version": version });
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": program,
            "tools": { "components": [tool] },
            "properties": properties,
        },
        "components": components,
        "dependencies": dependencies(crates, &references),
    });
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

fn component(package: &Value, checksum: Option<&String>) -> Value {
    let said = |field: &str| package[field].as_str();
    let (name, version) = (said("name").unwrap_or_default(), said("version").unwrap_or_default());
    // A plus sign in a URL stands for a space.
    let purl = format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"));
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "scope": "required",
    });
    let mut optional = Map::new();
    if let Some(description) = said("description") {
        optional.insert("description".to_owned(), description.trim().into());
    }
    if let Some(licence) = said("license") {
        // An older way to say `OR`, which no standard has.
        let expression = licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ");
        optional.insert("licenses".to_owned(), json!([{ "expression": expression }]));
    }
    if let Some(checksum) = checksum {
        optional.insert("hashes".to_owned(), json!([{ "alg": "SHA-256", "content": checksum }]));
    }
    if let Some(repository) = said("repository") {
        optional.insert("externalReferences".to_owned(), json!([{ "type": "vcs", "url": repository }]));
    }
    if let Some(component) = component.as_object_mut() {
        component.extend(optional);
    }
    component
}

/// Returns the dependencies between the crates of the program.
fn dependencies(crates: &Crates, references: &BTreeMap<&str, Value>) -> Vec<Value> {
    let mut dependencies = Vec::new();
    for node in &crates.nodes {
        let Some(reference) = node["id"].as_str().and_then(|id| references.get(id)) else { continue };
        let needed = node["deps"].as_array().into_iter().flatten();
        // A program contains no dependencies of builds and tests.
        let needed = needed.filter(|needed| {
            let mut kinds = needed["dep_kinds"].as_array().into_iter().flatten();
            kinds.any(|kind| kind["kind"].is_null())
        });
        let needed: BTreeSet<&str> =
            needed.filter_map(|needed| references.get(needed["pkg"].as_str()?)?.as_str()).collect();
        dependencies.push(json!({ "ref": reference, "dependsOn": needed }));
    }
    dependencies.sort_by_key(|dependency| dependency["ref"].to_string());
    dependencies
}

/// Returns the checksum of each crate of a registry, by its name and version.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let mut checksums = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let said = |field: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(" = \""));
            line.map(|value| value.trim_end_matches('"'))
        };
        if let (Some(name), Some(version), Some(checksum)) = (said("name"), said("version"), said("checksum"))
        {
            checksums.insert(format!("{name} {version}"), checksum.to_owned());
        }
    }
    checksums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_lists_each_crate_of_the_program_once() {
        let target = super::super::targets::host().unwrap();
        let crates = Crates::of(&target).unwrap();
        let bill: Value = serde_json::from_str(&of_crates(&crates, "1.2.3", &target).unwrap()).unwrap();
        let components = bill["components"].as_array().unwrap();
        assert_eq!(components.len() + 1, crates.packages.len());
        let named = |name: &str| components.iter().find(|component| component["name"] == name);
        assert_eq!(bill["metadata"]["component"]["name"], "alongside");

        let tokio = named("tokio").unwrap();
        assert_eq!(tokio["licenses"][0]["expression"], "MIT");
        assert_eq!(tokio["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert!(named("alongside-desk").is_some_and(|ours| ours["hashes"].is_null()));
        assert!(named("insta").is_none(), "crates for tests are in no program");

        let references: BTreeSet<_> =
            components.iter().map(|component| &component["bom-ref"]).map(Value::to_string).collect();
        assert_eq!(references.len(), components.len(), "each has a reference of its own");
        let dependencies = bill["dependencies"].as_array().unwrap();
        assert_eq!(dependencies.len(), crates.packages.len());
        let desk =
            dependencies.iter().find(|node| node["ref"] == named("alongside-desk").unwrap()["bom-ref"]);
        let needed = desk.unwrap()["dependsOn"].to_string();
        assert!(needed.contains("pkg:cargo/serde@") && !needed.contains("alongside-testing"), "{needed}");
    }
}
