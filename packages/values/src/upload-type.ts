const MIB = 1024 * 1024;
const FILE_BYTES_MAX = 25 * MIB;
/** Reading XML takes several times its bytes. */
const XML_BYTES_MAX = 10 * MIB;

/** The media types of files that may be uploaded, each with the most bytes of one file (documents reference, section 14). */
export const uploadBytesMax: Readonly<Record<string, number>> = {
  'application/pdf': FILE_BYTES_MAX,
  'image/png': FILE_BYTES_MAX,
  'image/jpeg': FILE_BYTES_MAX,
  'image/tiff': FILE_BYTES_MAX,
  'image/webp': FILE_BYTES_MAX,
  'application/xml': XML_BYTES_MAX,
  'text/xml': XML_BYTES_MAX,
  'application/pkcs7-mime': XML_BYTES_MAX,
};

/** The media types in the order in which they are named to callers. */
export const uploadTypes: readonly string[] = Object.keys(uploadBytesMax);
/** Maximum size of any file. */
export const UPLOAD_BYTES_MAX = FILE_BYTES_MAX;
