# A formula of Homebrew. Unpublished: `cargo xtask dist` has filled it in, and no tap has it yet.
class Alongside < Formula
  desc "IDE companion for every editor: review what coding agents propose"
  homepage "@HOME@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  on_intel do
    url "@FROM@/@ARCHIVE:x86_64-unknown-linux-gnu@"
    sha256 "@SHA256:x86_64-unknown-linux-gnu@"
  end

  on_arm do
    url "@FROM@/@ARCHIVE:aarch64-unknown-linux-gnu@"
    sha256 "@SHA256:aarch64-unknown-linux-gnu@"
  end

  def install
    bin.install "alongside"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/alongside.bash" => "alongside"
    zsh_completion.install "completions/_alongside"
    fish_completion.install "completions/alongside.fish"
    doc.install "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/alongside --version")
    system bin/"alongside", "demo"
  end
end
