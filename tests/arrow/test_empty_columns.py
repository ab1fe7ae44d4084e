"""Columns and batches without rows: the Arrow library makes no array of an empty buffer."""

from urlset.arrow.batches import batch_of, number_array, take_rows, text_array, unsigned_array


def test_columns_of_numbers_can_be_empty():
    assert len(unsigned_array([])) == len(number_array(5, 0)) == 0
    assert str(unsigned_array([]).type) == str(unsigned_array([1]).type)


def test_no_row_of_a_batch_is_taken():
    batch = batch_of({"loc": text_array(["/a", "/b"])})

    assert take_rows(batch, []).num_rows == 0
