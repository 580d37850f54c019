"""Identifiers in one form, whatever the record wrote, checked by their check digits, and the page of each."""

import pytest

from metadata.authorities import authority, has_valid_check_digits, page_of, project_page

# Numbers that are printed in public sources, or made up with a right check digit.
VALID = {
    "ORCID": ("0000-0002-1825-0097", "0000-0002-1694-233X"),
    "ISNI": ("0000000121032683", "000000012146438X"),
    "ROR": ("057zh3y96", "01464wm64", "04z20hw90"),
    "NRID": ("1000090050426", "9000002166178"),
    "e-Rad_Researcher": ("90050426", "00399271"),
}


@pytest.mark.parametrize(
    ("scheme", "value", "form"),
    [
        ("", "http://id.ndl.go.jp/auth/entity/00054222", "NDLNA 00054222"),
        ("", "https://id.ndl.go.jp/auth/ndlna/00054222", "NDLNA 00054222"),
        ("VIAF", "98268072", "VIAF 98268072"),
        ("", "http://viaf.org/viaf/98268072/", "VIAF 98268072"),
        ("ISNI", "0000 0001 2103 2683", "ISNI 0000000121032683"),
        ("ISNI", "000000012146438x", "ISNI 000000012146438X"),
        ("ORCID", "0000-0002-1825-0097", "ORCID 0000-0002-1825-0097"),
        ("ORCID", "0000000218250097", "ORCID 0000-0002-1825-0097"),
        ("", "https://orcid.org/0000-0002-1694-233x", "ORCID 0000-0002-1694-233X"),
        ("NRID", "9000000000001", "NRID 9000000000001"),
        ("", "https://nrid.nii.ac.jp/ja/nrid/1000090050426/", "NRID 1000090050426"),
        ("e-Rad_Researcher", "90050426", "NRID 1000090050426"),
        ("e-Rad", "90050426", "NRID 1000090050426"),
        ("ROR", "https://ror.org/057ZH3Y96", "ROR 057zh3y96"),
        ("", "98268072", ""),
        ("VIAF", "javascript:alert(1)", ""),
        ("e-Rad_Researcher", "2021xxxx", ""),
        ("ISNI", "0000\u00b2001210326834", ""),
        ("", "", ""),
    ],
)
def test_an_identifier_has_one_form(scheme, value, form):
    assert authority(scheme, value) == form


@pytest.mark.parametrize(("scheme", "number"), [(scheme, number) for scheme in VALID for number in VALID[scheme]])
def test_a_single_wrong_digit_is_noticed(scheme, number):
    assert has_valid_check_digits(scheme, number)
    assert authority(scheme, number)
    if number.startswith("9000"):  # an NRID without a researcher number has no check digit
        return
    for place, digit in enumerate(number):
        # ROR and NRID begin with fixed digits, which are no part of the checked number.
        if digit.isdecimal() and place >= {"ROR": 1, "NRID": 5}.get(scheme, 0):
            wrong = f"{number[:place]}{(int(digit) + 1) % 10}{number[place + 1 :]}"
            assert not has_valid_check_digits(scheme, wrong)
            assert not authority(scheme, wrong)


def test_numbers_of_other_forms_and_schemes_have_no_check_digits():
    assert has_valid_check_digits("ORCID", "1")
    assert has_valid_check_digits("e-Rad_Researcher", "2021xxxx")
    assert has_valid_check_digits("Ringgold", "RIN1")


def test_it_leads_to_the_page_of_the_authority():
    assert page_of("NDLNA 00054222") == "https://id.ndl.go.jp/auth/ndlna/00054222"
    assert page_of("VIAF 98268072") == "https://viaf.org/viaf/98268072"
    assert page_of("ROR 057zh3y96") == "https://ror.org/057zh3y96"


@pytest.mark.parametrize(
    ("award", "project"),
    [
        ("JP15H02781", "15H02781"),
        ("JP23KK0001", "23KK0001"),
        ("JP26284001", "26284001"),
        ("https://kaken.nii.ac.jp/ja/grant/KAKENHI-PROJECT-15H02781/", "15H02781"),
        ("15H02781", ""),
        ("JPMJCR1234", ""),
        ("JP15H02781<script>", ""),
        ("", ""),
    ],
)
def test_a_project_of_kakenhi_has_a_page(award, project):
    assert project_page(award) == (f"https://kaken.nii.ac.jp/grant/KAKENHI-PROJECT-{project}/" if project else "")
