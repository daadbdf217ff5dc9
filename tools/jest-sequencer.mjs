import Sequencer from '@jest/test-sequencer';

/**
 * Spreads the crash tests over the first third of the others. They wait for minutes, for the leases of what they killed: two
 * at once would leave the machine idle, and one that starts last would run alone. In a fresh clone jest has no
 * durations yet and sorts by file size.
 */
export default class CrashTestsSpread extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const crashTests = sorted.filter(isCrashTest);
    const others = sorted.filter((test) => !isCrashTest(test));
    const othersEach = Math.floor(others.length / 3 / Math.max(crashTests.length, 1));
    return [...crashTests.flatMap((test) => [test, ...others.splice(0, othersEach)]), ...others];
  }
}

function isCrashTest({ path }) {
  return path.includes('/tests/e2e/crash-');
}
