/** Numbers with a check digit, and colours. */

export function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

const cards =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!cards.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const part = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
const rgb = new RegExp(`^rgb\\(${part},${part},${part}\\)$`);

export function isRgbColor(text: string): boolean {
  return rgb.test(text);
}
