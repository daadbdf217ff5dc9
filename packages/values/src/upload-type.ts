const MIB = 1024 * 1024;
const FILE_BYTES_MAX = 25 * MIB;
/**
 * Maximum size of an XML file, lower than for other files because reading XML takes several times its size in memory.
 */
const XML_BYTES_MAX = 10 * MIB;

/** The media types of files that can be uploaded, with the maximum size in bytes (documents reference, section 14). */
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

/** The media types of uploads in the order in which messages to callers list them. */
export const uploadTypes: readonly string[] = Object.keys(uploadBytesMax);
/** Maximum size of an uploaded file of any type. */
export const UPLOAD_BYTES_MAX = FILE_BYTES_MAX;
