#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian: the programs that Debian has read the recipes of
# package managers that have no package of ours yet. $1 is the version.
set -eu
. /dist/trial/steps.sh

recipes=/dist/recipes
missing() { printf 'SKIPPED: the recipe %s, which was not made\n' "$1"; }

if [ -f $recipes/homebrew/alongside.rb ]; then
    ruby -c $recipes/homebrew/alongside.rb >$said 2>&1 || broken "ruby cannot read the formula" $said
    ok "ruby reads the formula of Homebrew; nobody has run it"
else
    missing homebrew
fi

if [ -f $recipes/aur/PKGBUILD ]; then
    # Arch's own package manager is not here, and would only look for dependencies.
    export PACMAN=true
    cp -r $recipes/aur "$HOME/aur"
    cd "$HOME/aur"
    makepkg --printsrcinfo >printed 2>$said || broken "makepkg cannot read PKGBUILD" $said
    diff printed .SRCINFO >$said || broken ".SRCINFO is not that of PKGBUILD" $said
    # Where the archive already is, nothing is fetched.
    cp /dist/alongside-"$1"-*-linux-gnu.tar.gz .
    makepkg --nodeps >$said 2>&1 || broken "makepkg builds no package" $said
    bsdtar -tf alongside-bin-*.pkg.tar* | grep -qx usr/bin/alongside || broken "the package of Arch has no program"
    ok "makepkg builds the package of Arch; no Arch has installed it"
    cd /
else
    missing aur
fi

schemas=/dist/trial/winget/schemas
if [ -f $recipes/winget/Alongside.Alongside.yaml ] && ! [ -d $schemas ]; then
    printf 'SKIPPED: the manifest of WinGet, without its schemas\n'
elif [ -f $recipes/winget/Alongside.Alongside.yaml ]; then
    python3 /dist/trial/winget/check.py $recipes/winget $schemas >$said 2>&1 || broken "the manifest of WinGet breaks its schema" $said
    ok "the manifest of WinGet follows its schema; no Windows has read it"
else
    missing winget
fi

if [ -f $recipes/nix/flake.nix ]; then
    nix-instantiate --parse --store "$HOME/store" $recipes/nix/flake.nix >$said 2>&1 || broken "nix cannot read the flake" $said
    # A collection of packages that only repeats what a package says.
    nix-instantiate --eval --strict --json --store "$HOME/store" --expr '
        let
          packages = {
            stdenvNoCC.mkDerivation = said: said;
            fetchurl = said: said;
            installShellFiles = "";
            lib.licenses = { mit = ""; asl20 = ""; };
          };
          nixpkgs.legacyPackages = { x86_64-linux = packages; aarch64-linux = packages; };
          said = (import '$recipes'/nix/flake.nix).outputs { inherit nixpkgs; self = { }; };
        in
        builtins.mapAttrs (_: package: package.default.src) said.packages
    ' >"$HOME/nix.json" 2>$said || broken "nix cannot evaluate the flake" $said
    grep -q musl "$HOME/nix.json" || broken "the flake has no archive" "$HOME/nix.json"
    ok "nix evaluates the flake; nobody has built it"
else
    missing nix
fi
