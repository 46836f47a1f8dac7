#include "tidegate/signature/element.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tidegate/signature/row_terms.h"
#include "tidegate/signature/value_element.h"

namespace tidegate::signature {
namespace {

/// Numbers of all sizes, and those around powers of two.
std::vector<Uint128> ManyNumbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Uint128> numbers = {0, 1, FieldP::kPrime, FieldQ::kPrime, ~Uint128{0}};
  for (int bit = 0; bit < 128; ++bit) {
    for (const Uint128 near : {Uint128{0}, Uint128{1}, ~Uint128{0}, Uint128{31}})
      numbers.push_back((Uint128{1} << bit) + near);
  }
  for (int i = 0; i < 20'000; ++i) {
    const Uint128 high = random();
    numbers.push_back((high << 64 | random()) >> (random() % 128));
  }
  return numbers;
}

template <typename F>
void CompareWithDivision() {
  constexpr Int128 kPrime = F::kPrime;
  for (const Uint128 number : ManyNumbers(1)) {
    ASSERT_EQ(F::Of(number), static_cast<uint64_t>(number % F::kPrime));
    ASSERT_EQ(F::Of(static_cast<uint64_t>(number)), static_cast<uint64_t>(number) % F::kPrime);
    const Int128 small = static_cast<Int128>(number >> 2);  // below 2^126
    ASSERT_EQ(F::OfSigned(small), static_cast<uint64_t>(small % kPrime));
    ASSERT_EQ(F::OfSigned(-small), static_cast<uint64_t>((kPrime - small % kPrime) % kPrime));
  }
}

TEST(Element, RemaindersAreThoseOfDivision) {
  CompareWithDivision<FieldP>();
  CompareWithDivision<FieldQ>();
}

TEST(Element, ArithmeticIsModuloEachPrime) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const Element a = ElementOf(uint64_t{random()});
    const Element b = ElementOf(uint64_t{random()});
    ASSERT_EQ((a * b).p, static_cast<uint64_t>(Uint128{a.p} * b.p % FieldP::kPrime));
    ASSERT_EQ((a * b).q, static_cast<uint64_t>(Uint128{a.q} * b.q % FieldQ::kPrime));
    ASSERT_EQ((a + b).p, (a.p + b.p) % FieldP::kPrime);
    ASSERT_EQ(a + b - b, a);
    ASSERT_EQ(a - b + b, a);
  }
  EXPECT_EQ(Element() - Element(), Element());
}

TEST(Element, PowersOfTenAndTheirInverses) {
  EXPECT_EQ(TenTo(0), (Element{1, 1}));
  EXPECT_EQ(TenTo(3), ElementOf(int64_t{1'000}));
  for (int exponent = 0; exponent <= 76; ++exponent) EXPECT_EQ(TenTo(exponent) * TenTo(-exponent), TenTo(0));
  EXPECT_EQ(ElementOf(int64_t{150}) * TenTo(-2), ElementOf(int64_t{15}) * TenTo(-1));
}

TEST(Element, WideNumbersOfAnyWidth) {
  const uint8_t least[32] = {0x80};
  Element two = {1, 1};
  for (int i = 0; i < 255; ++i) two = two + two;
  EXPECT_EQ(ElementOfWide(least, sizeof least), Element() - two);
  const uint8_t minus_two[] = {0xFF, 0xFE};
  EXPECT_EQ(ElementOfWide(minus_two, 2), ElementOf(int64_t{-2}));
  const uint8_t many[] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(ElementOfWide(many, sizeof many), ElementOf(Int128{1} << 64));
  for (const int64_t number : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const uint64_t bytes = __builtin_bswap64(static_cast<uint64_t>(number));
    EXPECT_EQ(ElementOfWide(reinterpret_cast<const uint8_t*>(&bytes), sizeof bytes), ElementOf(number));
  }
}

TEST(Element, Int96OfAnyDay) {
  EXPECT_EQ(Int96Micros(2'440'588, 1'999), Int128{1});
  EXPECT_EQ(Int96Micros(2'440'587, 86'399'999'999'999), Int128{-1});
  EXPECT_EQ(Int96Micros(0, 0), Int128{-210'866'803'200'000'000});
  EXPECT_EQ(Int96Micros(UINT32_MAX, UINT64_MAX), Int128{370'892'754'228'873} * 1'000'000 + 709'551);
}

/// What a row adds, term by term.
void AddProduct(const Element& row, ProductSums& sums) {
  const Uint128 product = Uint128{FieldP::Times(row.p, row.p)} * row.q;
  sums.upper += static_cast<uint64_t>(product >> 64);
  sums.lower += static_cast<uint64_t>(product);
}

/// Columns of the greatest and least values, numbers, terms and hashes by turns, as many as given: sums must not
/// overflow.
void CompareTerms(size_t columns, size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<int64_t>> values(columns);
  std::vector<std::vector<Md5>> hashes(columns);
  std::vector<Element> expected(rows, RowStart());
  RowTerms terms;
  terms.Start(rows);
  for (size_t c = 0; c < columns; ++c) {
    const Element key = {FieldP::kPrime - 1 - c, FieldQ::kPrime - 1 - c};
    for (size_t row = 0; row < rows; ++row) {
      const int64_t number = row % 3 == 0 ? INT64_MIN : row % 3 == 1 ? INT64_MAX : static_cast<int64_t>(random());
      values[c].push_back(number);
      hashes[c].push_back({row % 2 == 0 ? UINT64_MAX : random(), UINT64_MAX});
    }
    for (size_t row = 0; row < rows; ++row) {
      expected[row] = expected[row] + key * (c % 4 == 3 ? ElementOf(hashes[c][row]) : ElementOf(values[c][row]));
    }
    if (c % 4 == 3) {
      terms.AddHashes(hashes[c], nullptr, key);
    } else if (c % 4 == 1) {
      terms.RoomForTerms();
      for (size_t row = 0; row < rows; ++row) terms.Add(row, key * ElementOf(values[c][row]));
    } else {
      terms.AddProducts(values[c].data(), key);
    }
  }
  ProductSums sums;
  terms.Finish(sums);
  ProductSums wanted;
  for (const Element& row : expected) AddProduct(row, wanted);
  EXPECT_EQ(sums.upper, wanted.upper) << columns << " columns, " << rows << " rows";
  EXPECT_EQ(sums.lower, wanted.lower);
}

TEST(RowTerms, SumsOfManyWideColumnsDoNotOverflow) {
  for (size_t columns = 1; columns < 40; ++columns) CompareTerms(columns, 1 + columns % 7, 3);
  CompareTerms(300, kRowsAtOnce, 4);
}

TEST(RowTerms, ManyTermsOfOneWordDoNotOverflow) {
  RowTerms terms;
  terms.Start(1);
  const Element greatest = {FieldP::kPrime - 1, FieldQ::kPrime - 1};
  Element expected = RowStart();
  for (int i = 0; i < 50; ++i) {
    terms.RoomForTerms();
    terms.Add(0, greatest);
    expected = expected + greatest;
  }
  ProductSums sums;
  terms.Finish(sums);
  ProductSums wanted;
  AddProduct(expected, wanted);
  EXPECT_EQ(sums.upper, wanted.upper);
  EXPECT_EQ(sums.lower, wanted.lower);
}

TEST(RowTerms, ARowOfNothingIsItsStart) {
  RowTerms terms;
  terms.Start(1);
  ProductSums sums;
  terms.Finish(sums);
  ProductSums wanted;
  AddProduct(RowStart(), wanted);
  EXPECT_EQ(sums.upper, wanted.upper);
  EXPECT_EQ(sums.lower, wanted.lower);
}

TEST(ValueElement, KindsAreFarFromNumbersAndFromEachOther) {
  std::vector<Element> kinds;
  for (int kind = 0; kind <= static_cast<int>(Kind::kNested); ++kind)
    kinds.push_back(KindElement(static_cast<Kind>(kind)));
  EXPECT_EQ(kinds[static_cast<size_t>(Kind::kNumber)], Element());
  EXPECT_EQ(kinds[0], HashElement("tgs2 null"));
  for (size_t a = 0; a < kinds.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NE(kinds[a], kinds[b]) << a << " and " << b;
  }
}

}  // namespace
}  // namespace tidegate::signature
