// The worker of tesseract.js, which takes its data from our packages. Its own reads all languages from one folder: that would have to be
// made first, and a process that reads documents can write nowhere. It gets nothing to fetch with.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { trainedDataFile } from './trained-data.js';

interface WorkerScript {
  setAdapter(adapter: object): void;
  dispatchHandlers(packet: unknown, send: (message: unknown) => void): void;
}

const require = createRequire(import.meta.url);
// This does the same as `tesseract.js/src/worker-script/node`; an upgrade must compare them.
const script = require('tesseract.js/src/worker-script') as WorkerScript;
const getCore: unknown = require('tesseract.js/src/worker-script/node/getCore');

parentPort?.on('message', (packet) => {
  script.dispatchHandlers(packet, (message) => parentPort?.postMessage(message));
});
script.setAdapter({ getCore, gunzip: gunzipSync, readCache: (name: string) => readFile(trainedDataFile(name)) });
