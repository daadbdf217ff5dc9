import type { PaymentRun } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { FileButton } from '../../controls/file-button.js';
import { useDownload, useRecheck, useReport } from './queries.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.run;

/** What a person does with a whole payment run: check it again, download its files, and send the report of the bank. */
export function RunActions({ run }: { readonly run: PaymentRun }) {
  const recheck = useRecheck(run.id);
  const download = useDownload(run);
  const report = useReport(run.id);
  const error = recheck.error ?? download.error ?? report.error;
  const start = (work: () => Promise<unknown>) => async (): Promise<void> => {
    recheck.reset();
    download.reset();
    report.reset();
    // The error of an action on a payment run is shown below its buttons, from the state of the action.
    await work().catch(() => undefined);
  };
  const isPending = recheck.isPending || download.isPending || report.isPending;
  const send = (file: File | undefined): void => {
    if (file !== undefined) void start(() => report.mutateAsync(file))();
  };
  return (
    <section className={styles['run-actions']}>
      <div className={controls['actions']}>
        {run.source === 'PAIN_001' && (
          <Button variant="primary" isPending={isPending} onPress={start(() => download.mutateAsync({}))}>
            {texts.download}
          </Button>
        )}
        <Button isPending={isPending} onPress={start(() => recheck.mutateAsync())}>
          {texts.recheck}
        </Button>
        <FileButton
          accepts={['.xml', 'application/xml', 'text/xml']}
          isPending={isPending}
          onFiles={([file]) => send(file)}
        >
          {texts.report}
        </FileButton>
        {run.source === 'PAIN_001' &&
          (['HOLD', 'UNKNOWN'] as const)
            .filter((verdict) => run[verdict === 'HOLD' ? 'hold' : 'unknown'].count > 0)
            .map((verdict) => (
              <Button key={verdict} isPending={isPending} onPress={start(() => download.mutateAsync({ verdict }))}>
                {texts.downloadRest[verdict]}
              </Button>
            ))}
        {run.downloads.map(({ at }, index) => (
          <Button
            key={at}
            isPending={isPending}
            onPress={start(() => download.mutateAsync({ repeat: String(index + 1) }))}
          >
            {texts.repeat(index + 1)}
          </Button>
        ))}
      </div>
      <p className={controls['help']}>{run.source === 'PAIN_001' ? texts.downloadHelp : texts.noFile}</p>
      <p role="status">
        {recheck.isSuccess ? texts.rechecked : ''}
        {report.isSuccess ? texts.reported : ''}
        {download.isSuccess ? texts.downloaded(download.data) : ''}
      </p>
      {error !== null && <ErrorState error={error} />}
    </section>
  );
}
