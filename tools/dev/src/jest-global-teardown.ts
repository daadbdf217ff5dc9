import { closing } from './jest-global-setup.js';

export default async function tearDown(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}
