// The builds of ONNX Runtime and PyTorch that suit a machine, and how large they are. Knows files
// only, not VS Code, so that its tests run in plain Node.

import { existsSync } from "node:fs";

/** The processor's build, or the one that runs on an NVIDIA card too and is several times as large. */
export type Runtime = "cpu" | "gpu";

/** Megabytes (10^6 bytes), measured on Linux on x86-64 with Python 3.11. */
export interface Size {
  download: number;
  disk: number;
}

/** The server's packages, and those that training adds to them. */
export const SIZES: Record<Runtime, { server: Size; training: Size }> = {
  cpu: { server: { download: 50, disk: 150 }, training: { download: 320, disk: 1160 } },
  gpu: { server: { download: 280, disk: 520 }, training: { download: 2900, disk: 6500 } },
};

const DRIVERS: Partial<Record<NodeJS.Platform, string[]>> = {
  // The last one is Windows's, as its Linux subsystem sees it.
  linux: ["/proc/driver/nvidia/version", "/usr/lib/wsl/lib/libcuda.so.1"],
  win32: ["C:\\Windows\\System32\\nvcuda.dll"],
};

/**
 * The build for a machine: what the setting `editcast.device` asks for, or else the one that an
 * NVIDIA driver can run. Only Linux and Windows on x86-64 have builds for these cards.
 */
export function runtimeFor(
  device: string,
  platform: NodeJS.Platform = process.platform,
  architecture: string = process.arch,
  exists: (file: string) => boolean = existsSync,
): Runtime {
  const drivers = architecture === "x64" ? DRIVERS[platform] : undefined;
  if (drivers === undefined || device === "cpu") {
    return "cpu";
  }
  return device === "cuda" || drivers.some(exists) ? "gpu" : "cpu";
}
