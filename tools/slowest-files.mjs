const SHOWN = 10;

/** Reports the slowest test files at the end of a test run, so that test runs stay short. */
export class SlowestFiles {
  onTestRunEnd(modules) {
    const took = modules.map((module) => ({
      file: module.relativeModuleId,
      project: module.project.name,
      seconds: (module.diagnostic().duration + module.diagnostic().collectDuration) / 1_000,
    }));
    if (took.length <= SHOWN) return;
    const slowest = took.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN);
    console.log(`\nThe ${SHOWN} slowest of ${took.length} files:`);
    for (const { file, project, seconds } of slowest)
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${project}  ${file}`);
  }
}
