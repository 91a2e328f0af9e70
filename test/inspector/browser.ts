import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A Chromium of this machine, or null. */
export function findChromium(): string | null {
  return PLACES.find((place) => place !== undefined && existsSync(place)) ?? null;
}

/** Whether tests in a browser are left out; says why. Where `CI` is set they never are. */
export function skipsBrowser(): boolean {
  if (findChromium() !== null || process.env.CI) return false;
  console.warn(
    'No Chromium was found (CHROMIUM_PATH, /usr/bin/chromium): the tests of the inspector page are left out.',
  );
  return true;
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error('No Chromium was found; set CHROMIUM_PATH, or install the package chromium.');
  return chromium.launch({ executablePath, args: FLAGS });
}
