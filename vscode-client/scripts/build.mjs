// Bundles the extension into out/extension.js, with the licences of what is bundled beside it.
// `--tests` bundles the unit tests into out/tests instead.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

process.chdir(join(import.meta.dirname, ".."));

const common = {
  bundle: true,
  platform: "node",
  target: "node20", // VS Code 1.100's
  format: "cjs",
  external: ["vscode"],
  preserveSymlinks: true, // the bundle names its files, wherever node_modules really is
  logLevel: "warning",
};

/** The name of the package that a bundled file belongs to, or undefined for our own files. */
function packageOf(file) {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[0];
}

function licences(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter((folder) => folder !== undefined))];
  return folders.sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) {
      throw new Error(`${name} has no licence file to ship`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
}

if (process.argv.includes("--tests")) {
  rmSync("out/tests", { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: readdirSync("tests")
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => join("tests", file)),
    outdir: "out/tests",
    sourcemap: "inline",
  });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    metafile: true,
    // Names stay readable in the stack traces that users send.
    minifySyntax: true,
    minifyWhitespace: true,
  });
  writeFileSync("out/THIRD_PARTY.txt", licences(Object.keys(metafile.inputs)).join(`\n${"-".repeat(72)}\n\n`));
}
