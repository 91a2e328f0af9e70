// node swapper.mjs <folder> <link> <pause>: a folder and a link change places until killed.
import { renameSync } from 'node:fs';

const [, , folder, link, pause] = process.argv;
const held = `${folder}.held`;
process.stdout.write('ready\n');
const cell = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  renameSync(folder, held);
  renameSync(link, folder);
  renameSync(held, link);
  Atomics.wait(cell, 0, 0, Number(pause));
}
