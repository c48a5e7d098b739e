// Writes sheetjs.xlsb and sheetjs.xls: npm install xlsx@0.18.5; node sheetjs.js FOLDER
const excel = require("xlsx");
const {join} = require("path");

const day = (...date) => new Date(Date.UTC(...date));
const area = excel.utils.decode_range;
const stock = excel.utils.aoa_to_sheet([
  ["Stock of the quay"],
  ["Item", "Count", "Price", "Share", "Since", "Ready"],
  ["Möwe", 987654321.98, 12.5, 0.075, day(2024, 11, 31), true],
  ["Pier & rope", -3, 1234567.891, 1, day(2025, 1, 28, 13, 45), false],
  [null, 0, 1e-7, 1 / 3],
  ["Sum"],
], {cellDates: true});
stock["!merges"] = [area("A1:F1"), area("A4:A5")];
for (const cell of ["C3", "C4"]) stock[cell].z = '#,##0.00 "EUR"';
for (const cell of ["D3", "D4", "D5"]) stock[cell].z = "0.0%";
stock.E3.z = "yyyy-mm-dd";
stock.E4.z = "yyyy-mm-dd hh:mm";
stock.B6 = {t: "n", f: "SUM(B3:B5)", v: 987654318.98};
stock.C6 = {t: "s", f: 'A3&"!"', v: "Möwe!"};
stock.D6 = {t: "e", v: 7};
stock.A3.c = [{a: "Ann", t: "A gull of steel"}];
const codes = excel.utils.aoa_to_sheet([["Code", "Name"], ["007", "Löwe\nof Riga"]]);
const fees = excel.utils.aoa_to_sheet([
  ["", "North", "", "South", ""],
  ["", "2023", "2024", "2023", "2024"],
  ["Fees", 1, 2, 3, 4],
  ["Tolls", 5, 6, 7, 8],
]);
fees["!merges"] = [area("B1:C1"), area("D1:E1")];

const book = excel.utils.book_new();
excel.utils.book_append_sheet(book, stock, "Stock");
excel.utils.book_append_sheet(book, codes, "Codes");
excel.utils.book_append_sheet(book, fees, "Fees & tolls");
book.Workbook = {Sheets: [{Hidden: 0}, {Hidden: 1}, {Hidden: 0}]};
const write = (name, bookType, bookSST) =>
  excel.writeFile(book, join(process.argv[2], name), {bookType, bookSST, compression: true});
write("sheetjs.xlsb", "xlsb", true);
write("sheetjs_inline.xlsb", "xlsb", false);
write("sheetjs.xls", "biff8", true);
