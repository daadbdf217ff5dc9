import { useState } from 'react';
import { useLocation } from 'wouter';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { FileDrop } from '../../controls/file-drop.js';
import { useCaller } from '../../session.js';
import { useCheckFile } from './queries.js';
import { runTexts } from './texts.js';

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const texts = runTexts.runs;

/** Takes a payment file for the bank, by drag and drop or by choice, and opens the checked payment run. */
export function DropFile() {
  const { companies } = useCaller();
  const [, navigate] = useLocation();
  const [companyId, setCompanyId] = useState('');
  const [fault, setFault] = useState<string>();
  const check = useCheckFile();

  const send = (files: readonly File[]): void => {
    if (check.isPending) return;
    const [file, ...others] = files;
    check.reset();
    setFault(others.length > 0 ? texts.oneFile : undefined);
    if (file === undefined || others.length > 0) return;
    if (file.size > FILE_BYTES_MAX) return setFault(texts.tooLarge);
    check.mutate(
      { file, companyId: companyId === '' ? undefined : companyId },
      {
        onSuccess: ({ run, isNew }) => navigate(`/payment-runs/${run.id}${isNew ? '' : '?stored'}`),
      },
    );
  };
  return (
    <section aria-label={texts.drop}>
      {companies.length > 1 && (
        <Choice
          label={texts.company}
          value={companyId}
          onChange={setCompanyId}
          options={[['', texts.companyOfFile], ...companies.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <FileDrop
        label={texts.drop}
        choose={texts.choose}
        help={texts.dropHelp}
        accepts={['.xml', 'application/xml', 'text/xml']}
        isPending={check.isPending}
        onFiles={send}
      />
      <p role="status">{check.isPending ? texts.checking(check.variables.file.name) : ''}</p>
      {fault !== undefined && (
        <p role="alert" className={controls['fault']}>
          {fault}
        </p>
      )}
      {check.error !== null && <ErrorState error={check.error} title={texts.refused} />}
    </section>
  );
}
