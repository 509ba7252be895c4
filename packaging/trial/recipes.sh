#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian. Programs of Debian read the recipes for package
# managers that have no package of alongside yet. $1 is the version.
set -eu
. /dist/trial/steps.sh

recipes=/dist/recipes
skip() { printf 'SKIPPED: the recipe %s, which was not made\n' "$1"; }

if [ -f $recipes/homebrew/alongside.rb ]; then
    ruby -c $recipes/homebrew/alongside.rb >$output 2>&1 || fail "ruby cannot read the formula" $output
    ok "ruby reads the formula of Homebrew; nobody has run it"
else
    skip homebrew
fi

if [ -f $recipes/aur/PKGBUILD ]; then
    # Debian lacks Arch's package manager, which makepkg runs only to check dependencies.
    export PACMAN=true
    cp -r $recipes/aur "$HOME/aur"
    cd "$HOME/aur"
    makepkg --printsrcinfo >printed 2>$output || fail "makepkg cannot read PKGBUILD" $output
    diff printed .SRCINFO >$output || fail ".SRCINFO is not that of PKGBUILD" $output
    # makepkg does not fetch an archive that is in its directory.
    cp /dist/alongside-"$1"-*-linux-gnu.tar.gz .
    makepkg --nodeps >$output 2>&1 || fail "makepkg builds no package" $output
    bsdtar -tf alongside-bin-*.pkg.tar* | grep -qx usr/bin/alongside || fail "the package of Arch has no program"
    ok "makepkg builds the package of Arch; no Arch has installed it"
    cd /
else
    skip aur
fi

schemas=/dist/trial/winget/schemas
if [ -f $recipes/winget/Alongside.Alongside.yaml ] && ! [ -d $schemas ]; then
    printf 'SKIPPED: the manifest of WinGet, without its schemas\n'
elif [ -f $recipes/winget/Alongside.Alongside.yaml ]; then
    python3 /dist/trial/winget/check.py $recipes/winget $schemas >$output 2>&1 || fail "the manifest of WinGet breaks its schema" $output
    ok "the manifest of WinGet follows its schema; no Windows has read it"
else
    skip winget
fi

if [ -f $recipes/nix/flake.nix ]; then
    nix-instantiate --parse --store "$HOME/store" $recipes/nix/flake.nix >$output 2>&1 || fail "nix cannot read the flake" $output
    # The functions of this collection of packages return their argument.
    nix-instantiate --eval --strict --json --store "$HOME/store" --expr '
        let
          packages = {
            stdenvNoCC.mkDerivation = attributes: attributes;
            fetchurl = attributes: attributes;
            installShellFiles = "";
            lib.licenses = { mit = ""; asl20 = ""; };
          };
          nixpkgs.legacyPackages = { x86_64-linux = packages; aarch64-linux = packages; };
          outputs = (import '$recipes'/nix/flake.nix).outputs { inherit nixpkgs; self = { }; };
        in
        builtins.mapAttrs (_: package: package.default.src) outputs.packages
    ' >"$HOME/nix.json" 2>$output || fail "nix cannot evaluate the flake" $output
    grep -q musl "$HOME/nix.json" || fail "the flake has no archive" "$HOME/nix.json"
    ok "nix evaluates the flake; nobody has built it"
else
    skip nix
fi
