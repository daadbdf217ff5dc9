import { useState } from 'react';
import { DropZone, FileTrigger, isFileDropItem, Text } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { messages } from '../../messages/messages.js';
import { useCaller } from '../../session.js';
import { useCheckFile } from './queries.js';
import styles from './payment-runs.module.css';

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const texts = messages.runs;

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
        <label className={controls['field']}>
          <span className={controls['label']}>{texts.company}</span>
          <select className={controls['input']} value={companyId} onChange={({ target }) => setCompanyId(target.value)}>
            <option value="">{texts.companyOfFile}</option>
            {companies.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <DropZone
        className={styles['drop'] ?? ''}
        onDrop={({ items }) => {
          void Promise.all(items.filter(isFileDropItem).map((item) => item.getFile())).then(send);
        }}
      >
        <Text slot="label">{texts.drop}</Text>
        <FileTrigger
          acceptedFileTypes={['.xml', 'application/xml', 'text/xml']}
          onSelect={(list) => send([...(list ?? [])])}
        >
          <Button variant="primary" isPending={check.isPending}>
            {texts.choose}
          </Button>
        </FileTrigger>
        <p className={controls['help']}>{texts.dropHelp}</p>
      </DropZone>
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
