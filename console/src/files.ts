/**
 * Hands a downloaded file to the browser, which saves it or asks where to save it.
 * @param otherName name of the file if the API states none
 * @returns the name of the file
 */
export function saveFile(file: Blob, headers: Headers, otherName: string): string {
  const name = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? otherName;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers read the address of a downloaded file a moment after the click, so the address is released later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return name;
}
