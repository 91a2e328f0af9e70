#!/usr/bin/env node
import process from 'node:process';
import { cli } from './program.ts';

process.exitCode = await cli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  exit: (code) => process.exit(code),
  onInterrupt: (callback) => {
    process.on('SIGINT', callback);
    return () => process.off('SIGINT', callback);
  },
});
