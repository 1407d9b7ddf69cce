"""REST under ``/v1``: thin routes over the same services as every other surface."""
