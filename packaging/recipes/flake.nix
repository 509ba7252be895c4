# A flake of Nix. Unpublished: `cargo xtask dist` has filled it in, and no repository has it yet.
{
  description = "IDE companion for every editor: review what coding agents propose";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      # The programs are static, because NixOS has no C library at the usual path.
      archives = {
        x86_64-linux = {
          url = "@FROM@/@ARCHIVE:x86_64-unknown-linux-musl@";
          sha256 = "@SHA256:x86_64-unknown-linux-musl@";
        };
        aarch64-linux = {
          url = "@FROM@/@ARCHIVE:aarch64-unknown-linux-musl@";
          sha256 = "@SHA256:aarch64-unknown-linux-musl@";
        };
      };
      alongside =
        pkgs: archive:
        pkgs.stdenvNoCC.mkDerivation {
          pname = "alongside";
          version = "@VERSION@";
          src = pkgs.fetchurl archive;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          installPhase = ''
            runHook preInstall
            install -Dm755 alongside -t $out/bin
            installManPage man/*.1
            installShellCompletion --cmd alongside --bash completions/alongside.bash \
              --zsh completions/_alongside --fish completions/alongside.fish
            install -Dm644 LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENSES.txt -t $out/share/doc/alongside
            runHook postInstall
          '';
          meta = {
            description = "IDE companion for every editor: review what coding agents propose";
            homepage = "@HOME@";
            license = [ pkgs.lib.licenses.mit pkgs.lib.licenses.asl20 ];
            mainProgram = "alongside";
            platforms = builtins.attrNames archives;
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: archive: {
        default = alongside nixpkgs.legacyPackages.${system} archive;
      }) archives;
    };
}
