// Runs `npm run check -- boundaries`: no import of the repository may break a rule of .dependency-cruiser.mjs. The
// rules recognize an import of another workspace only if its name resolves to the sources of the workspace, so this
// program checks that too.
import { cruise, format } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const TREES = ['packages', 'services', 'simulators', 'tools', 'tests'];
const SOURCE_OF_A_WORKSPACE = /^((packages|services|tools)\/[^/]+|simulators)\/src\//;

const { output: found } = await cruise(TREES, await extractDepcruiseOptions('./.dependency-cruiser.mjs'));
const { output: report, exitCode } = await format(found, { outputType: 'err' });
console.log(report.trim());
if (exitCode > 0) process.exitCode = 1;

const byName = found.modules
  .flatMap(({ dependencies }) => dependencies)
  .filter(({ module }) => module.startsWith('@invoicecontrol/'));
const elsewhere = byName.filter(({ resolved }) => !SOURCE_OF_A_WORKSPACE.test(resolved));
for (const { module, resolved } of elsewhere)
  console.log(`${module} leads to ${resolved}, and must lead to a source file of the workspace.`);
if (byName.length === 0) console.log('No import of another workspace was found.');
if (elsewhere.length > 0 || byName.length === 0) process.exitCode = 1;
