// An LSP client of the library that VS Code's extensions use: makes a pipe, starts the server named on
// the command line with it, begins and ends a session, and prints what came as JSON.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../vscode-client/package.json", import.meta.url));
const { createClientPipeTransport, createMessageConnection, generateRandomPipeName } = require("vscode-jsonrpc/node");

const [program, ...options] = process.argv.slice(2);
const pipe = generateRandomPipeName();
const transport = await createClientPipeTransport(pipe);
const server = spawn(program, [...options, `--pipe=${pipe}`], { stdio: ["ignore", "inherit", "inherit"] });
const ended = new Promise((resolve) => server.on("exit", resolve));
const connection = createMessageConnection(...(await transport.onConnected()));
connection.listen();
const begun = await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
const shutdown = await connection.sendRequest("shutdown");
await connection.sendNotification("exit");
console.log(JSON.stringify({ name: begun.serverInfo.name, shutdown, code: await ended }));
connection.dispose();
