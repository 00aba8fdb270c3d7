import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/*
 * The format of API keys:
 *
 *     key      = prefix "_" secret checksum
 *     prefix   = "ct_" and 12 characters of a-z and 0-9; identifies the key
 *     secret   = 43 characters of A-Z, a-z and 0-9, which have 256 bits of entropy
 *     checksum = 6 characters of A-Z, a-z and 0-9: the CRC-32 of all preceding characters, in base 62
 */

const PREFIX_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
const LETTERS = `${PREFIX_LETTERS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

const KEY = /^ct_[0-9a-z]{12}_[0-9A-Za-z]{49}$/;
const PREFIX_LENGTH = 15;
const CHECKSUM_LENGTH = 6;

/** Whether a credential begins with `ct_`. The remaining characters may be malformed. */
export function hasApiKeyPrefix(text: string): boolean {
  return text.startsWith("ct_");
}

/** Generates an API key from cryptographically secure random numbers. */
export function generateApiKey(): { readonly key: string; readonly prefix: string } {
  const prefix = `ct_${randomText(PREFIX_LETTERS, 12)}`;
  return { key: assembleApiKey(prefix, randomText(LETTERS, 43)), prefix };
}

export function assembleApiKey(prefix: string, secret: string): string {
  const body = `${prefix}_${secret}`;
  return body + checksumOf(body);
}

/** Whether a text has the format and the checksum of an API key. Detects typos without a database query. */
export function isWellFormedApiKey(text: string): boolean {
  return KEY.test(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_LENGTH)));
}

export function extractApiKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/**
 * Returns the SHA-256 hash of an API key in hexadecimal, which the database stores instead of the key. A slow password hash would delay
 * every request without adding protection, because nobody can guess 256 random bits.
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key);
}

function randomText(letters: string, length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let count = 0; count < CHECKSUM_LENGTH; count++) {
    text = LETTERS[rest % LETTERS.length] + text;
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}
