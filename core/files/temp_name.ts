/** Names of temporary files: process id, then random digits. */
export const TEMP_NAME_REGEXP: RegExp = /^\.alisio-\d+-[0-9a-f]{16}\.tmp$/;
