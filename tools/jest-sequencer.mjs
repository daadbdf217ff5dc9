import Sequencer from '@jest/test-sequencer';

/**
 * Begins with the crash tests: they wait more than they compute, and one that begins last runs on alone for minutes.
 * In a fresh clone nothing else tells, since jest knows no durations yet and goes by the size of the files.
 */
export default class CrashTestsFirst extends Sequencer {
  sort(tests) {
    const isCrashTest = ({ path }) => path.includes('/tests/e2e/crash-');
    return super.sort(tests).toSorted((one, other) => Number(isCrashTest(other)) - Number(isCrashTest(one)));
  }
}
