// Finds kube-score, with which the contract tests check the quality of the manifests, or builds it from the Go module
// proxy.
import { findProgram, fromGo, outputOfVersion } from './program.js';
import type { FoundProgram, Log, Program } from './program.js';

const GO_PACKAGE = 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0';

const program: Program = {
  name: 'kube-score',
  needed:
    'kube-score was not found and could not be built. Install it (https://github.com/zegl/kube-score), or provide Go and a network ' +
    'that reaches the Go module proxy.',
  sources: [fromGo(GO_PACKAGE, 'kube-score', { isOptimized: false })],
  async versionOf(binary) {
    // A kube-score that was built by `go install` reports the version "development".
    const { stdout } = await outputOfVersion(binary, process.env, ['version']);
    return /kube-score version: (\w\S*),/.exec(stdout)?.[1];
  },
};

/**
 * Returns a kube-score that runs on this machine: from PATH, from an earlier test run, or built and stored in
 * `.cache/`.
 * @throws Error naming every source and why it failed
 */
export function findKubeScore(log: Log): Promise<FoundProgram> {
  return findProgram(program, log);
}
