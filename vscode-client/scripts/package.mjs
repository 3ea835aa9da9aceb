// Packages the built extension and the server's wheel into one editcast-<version>.vsix here, with
// the hashes of all that the extension will install: the locked packages and the wheel itself.
// The wheel comes first, from the repository root:
//     python -m pip wheel --no-deps --wheel-dir vscode-client/server .
//
// EDITCAST_REPOSITORY, the repository's address, is written into the package with what follows from it:
// homepage, bugs, and where a marketplace finds the pictures of the README.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

process.chdir(join(import.meta.dirname, ".."));

function fail(sentence) {
  console.error(`package: ${sentence}`);
  process.exit(2);
}

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const wheels = existsSync("server") ? readdirSync("server").filter((name) => name.endsWith(".whl")) : [];
if (wheels.length !== 1 || !wheels[0].startsWith(`editcast-${version}-`)) {
  fail(
    `vscode-client/server must hold one wheel, of editcast ${version}, and holds ` +
      `${wheels.length === 0 ? "none" : wheels.join(", ")}; empty it and run "make vsix" ` +
      `in the repository root.`,
  );
}
if (!existsSync("out/extension.js")) {
  fail('the extension is not built; run "npm run build" first.');
}
const digest = createHash("sha256").update(readFileSync(join("server", wheels[0]))).digest("hex");
for (const name of ["", "-gpu", "-train", "-train-gpu", "-torch"]) {
  const lock = readFileSync(join("..", `requirements${name}.lock`), "utf8");
  const wheel = name === "-torch" ? "" : `./${wheels[0]} --hash=sha256:${digest}\n`;
  writeFileSync(join("server", `requirements${name}.txt`), lock + wheel);
}
for (const name of readdirSync(".")) {
  if (name.endsWith(".vsix")) {
    rmSync(name);
  }
}
copyFileSync(join("..", "CHANGELOG.md"), "CHANGELOG.md");
// The package keeps the permissions of files, which are those of whoever checked them out.
const walkthrough = readdirSync("walkthrough").map((name) => join("walkthrough", name));
for (const name of ["CHANGELOG.md", "demo.gif", "icon.png", "LICENSE", "README.md", "package.json", ...walkthrough]) {
  chmodSync(name, 0o644);
}
const repository = process.env.EDITCAST_REPOSITORY ?? "";
const written = readFileSync("package.json", "utf8");
if (repository !== "") {
  const links = {
    repository: { type: "git", url: `${repository}.git`, directory: "vscode-client" },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
  };
  writeFileSync("package.json", JSON.stringify({ ...JSON.parse(written), ...links }, undefined, 2) + "\n");
}
try {
  execFileSync(
    process.execPath,
    [
      join("node_modules", "@vscode", "vsce", "vsce"),
      "package",
      "--no-dependencies", // everything is in the bundle
      ...(repository === ""
        ? ["--allow-missing-repository", "--no-rewrite-relative-links"]
        : ["--baseContentUrl", `${repository}/blob/HEAD/vscode-client`, "--baseImagesUrl", `${repository}/raw/HEAD/vscode-client`]),
      "--out",
      `editcast-${version}.vsix`,
    ],
    { stdio: "inherit" },
  );
} finally {
  writeFileSync("package.json", written);
}
